import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCli } from '../../support/cli/program.js'
import { serveSandbox } from '../../support/sandbox/served-sandbox.js'

describe('completion', () => {
  const sandbox = serveSandbox()
  const cli = createCli(afterAll)
  const ids: string[] = []
  /** The candidates after a line, as `[word, text]`. */
  const candidates = async (...words: string[]) => {
    const { stdout } = await cli.run(['__complete', '--', ...words], { env: sandbox.env() })
    return stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split('\t'))
  }
  const wordsAfter = async (...words: string[]) => (await candidates(...words)).map(([word]) => word)

  beforeAll(async () => {
    for (const reference of ['ORDER-1', 'ORDER-2']) {
      const create = ['deliveries', 'create', '--file', 'examples/order.json', '--ref', reference]
      ids.push((await cli.json<{ deliveryId: string }>(create, { env: sandbox.env() })).deliveryId)
    }
    await cli.json(['sandbox', 'snapshot', 'save', 'before-test'], { env: sandbox.env() })
  })

  it('completes references, and ids once one is begun', async () => {
    expect(await candidates('deliveries', 'get', 'del_')).toEqual([
      [ids[1], 'ORDER-2, accepted'],
      [ids[0], 'ORDER-1, accepted'],
    ])
    expect(await candidates('events', 'list', '--delivery', 'O')).toEqual([
      ['ORDER-2', `${ids[1]}, accepted`],
      ['ORDER-1', `${ids[0]}, accepted`],
    ])
    expect(await wordsAfter('events', 'list', '--delivery', '')).toEqual(['ORDER-2', 'ORDER-1'])
  })

  it('shows them in bash where several fit, and only the word where one does', async () => {
    const reply = async (line: string, type = '63') =>
      (
        await cli.shell(
          [
            'source <(dlv completion bash)',
            `read -ra COMP_WORDS <<< ${JSON.stringify(line)}; COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 )); COMP_TYPE=${type}`,
            '_dlv_spaced; printf "%s\\n" "${COMPREPLY[@]}"',
          ].join('\n'),
          { env: sandbox.env() },
        )
      ).stdout.split('\n')
    expect(await reply('dlv deliveries get del_')).toContain(`${ids[0]}  (ORDER-1, accepted)`)
    expect(await reply('dlv deliveries get del_', '37')).toContain(ids[0])
    expect(await reply(`dlv deliveries get ${ids[0]}`)).toEqual([`${ids[0]} `, ''])
  })

  it('completes the last of several statuses, the parts to add, and the delivery to repeat', async () => {
    expect(await wordsAfter('deliveries', 'list', '--status', 'failed,exp')).toEqual(['failed,expired'])
    expect(await wordsAfter('deliveries', 'list', '--with', 'reason,e')).toEqual(['reason,eta'])
    expect(await wordsAfter('deliveries', 'list', '--sort', 'up')).toEqual(['updated'])
    expect(await wordsAfter('deliveries', 'create', '--from', 'ORDER-1')).toEqual(['ORDER-1'])
  })

  it('knows the stores', async () => {
    expect(await candidates('quotes', 'create', '--store', 'STORE-00')).toContainEqual([
      'STORE-002',
      'Sandbox Market #02',
    ])
  })

  it('knows the columns, after others too', async () => {
    expect(await wordsAfter('deliveries', 'list', '--columns', 'dropoff.contact')).toEqual([
      'dropoff.contactName',
      'dropoff.contactPhone',
    ])
    expect(await wordsAfter('deliveries', 'list', '--columns', 'status,trackingU')).toEqual(['status,trackingUrl'])
  })

  it('knows the snapshots', async () => {
    expect(await wordsAfter('sandbox', 'snapshot', 'restore', '')).toEqual(['before-test'])
  })

  it('knows the fields that --set takes, and the cargo', async () => {
    expect(await wordsAfter('deliveries', 'create', '--set', 'tip')).toEqual(['tipAmountCents='])
    expect(await wordsAfter('deliveries', 'create', '--contains', 'al')).toEqual(['alcohol'])
  })

  it('completes the value of --flag=VALUE, also in the words that bash makes of it', async () => {
    expect(await wordsAfter('deliveries', 'list', '--output=nd')).toEqual(['--output=ndjson'])
    expect(await wordsAfter('deliveries', 'list', '--output', '=', 'nd')).toEqual(['ndjson'])
    expect(await wordsAfter('deliveries', 'list', '--output', '=')).toContain('ndjson')
    expect(await wordsAfter('deliveries', 'list', '--status=failed,exp')).toEqual(['--status=failed,expired'])
  })

  it('leaves the names of files to the shell where a file is meant, and nowhere else', async () => {
    for (const line of ['create --file', 'map', 'create --map-file', 'proof ORDER-1 --save', 'watch --exec'])
      expect(await wordsAfter('deliveries', ...line.split(' '), 'x'), line).toEqual([':files'])
    expect(await wordsAfter('deliveries', 'create', '--file=x')).toEqual([':files'])
    for (const line of ['get', 'create --ref', 'list --search', 'create --file order.json', 'create --fi'])
      expect(await wordsAfter('deliveries', ...line.split(' '), 'x'), line).toEqual([])
  })

  it.skipIf(spawnSync('fish', ['-c', 'exit 0']).error !== undefined)('puts them on the line in fish', async () => {
    const complete = async (line: string) =>
      (await cli.shell(`fish -c 'dlv completion fish | source; complete -C "${line}"'`, { env: sandbox.env() })).stdout
    expect(await complete('dlv deliveries list --output=nd')).toBe('--output=ndjson\n')
    expect(await complete('dlv deliveries create --file=examples/order.j')).toBe('--file=examples/order.json\n')
    expect(await complete('dlv query examples/order.j')).toBe('')
  })

  it('looks past flags before the command, and at the profile that the line names', async () => {
    expect(await wordsAfter('-P', 'local', '--json', 'deliveries', 'wat')).toEqual(['watch'])
    expect(await wordsAfter('-P', '')).toEqual(['local'])
    expect(await wordsAfter('-o', 'nd')).toEqual(['ndjson'])
    expect(await wordsAfter('-P', 'local', 'deliveries', 'get', '')).toEqual([])
  })

  it('leaves the daily notice for a command that shows it', async () => {
    const other = createCli()
    await other.run(['__complete', '--', 'deliveries', 'get', ''])
    expect((await other.run(['health'])).stderr).toContain('Using the embedded sandbox')
  })
})
