import { expect, it } from 'vitest'
import { type Cli, createCli } from '../support/cli/program.js'
import { jsonLines } from '../support/json-lines.js'

async function personWith(...names: string[]) {
  const cli = createCli()
  for (const name of names) await cli.json(['sandbox', 'accounts', 'add', name, '--profile', name])
  return cli
}

const create = async (cli: Cli, profile: string, ref: string) =>
  (
    await cli.run(['deliveries', 'create', '--file', 'examples/order.json', '--ref', ref, '-q', '-P', profile])
  ).stdout.trim()

it('A delivery is found in the account that has it, by its id and by its reference', async () => {
  const cli = await personWith('acme', 'bolt', 'cargo')
  const id = await create(cli, 'bolt', 'ONE-1')
  const own = await create(cli, 'acme', 'TWO-1')
  for (const name of [id, 'ONE-1', 'ref:ONE-1']) {
    const rows = await cli.json<unknown>(['deliveries', 'get', name, '-P', 'acme,bolt,cargo'])
    expect(rows, name).toMatchObject([{ profile: 'bolt', deliveryId: id }])
  }
  expect(await cli.json(['deliveries', 'get', '--ref', 'ONE-1', '--all-profiles'])).toMatchObject([{ profile: 'bolt' }])
  expect(await cli.json(['deliveries', 'get', 'ONE-1', 'TWO-1', '-P', '*'])).toMatchObject([
    { profile: 'bolt', deliveryId: id },
    { profile: 'acme', deliveryId: own },
  ])
  expect(await cli.json(['explain', 'ONE-1', '-P', 'acme,bolt'])).toMatchObject([{ profile: 'bolt', code: 'accepted' }])
  const listed = await cli.run(['events', 'list', '--delivery', 'ONE-1', '-P', 'acme,bolt', '-o', 'ndjson'])
  expect(jsonLines(listed.stdout)).toMatchObject([{ profile: 'bolt', deliveryId: id }])
  const watched = await cli.run([
    'deliveries',
    'watch',
    'ONE-1',
    '--until',
    'accepted',
    '-P',
    'acme,bolt',
    '-o',
    'ndjson',
  ])
  expect(watched).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('already accepted') })
  const proofs = await cli.run(['deliveries', 'proof', id, '-P', 'acme,bolt', '--json'])
  expect(proofs).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^\[\]/) })
  // A code is no account's.
  expect(await cli.json(['explain', 'denied_at_gate', '-P', 'acme,bolt'])).toMatchObject({ code: 'denied_at_gate' })
})

it('A reference of two accounts is ambiguous, with the candidates, and one of none is not found', async () => {
  const cli = await personWith('acme', 'bolt', 'cargo')
  const ids = [await create(cli, 'acme', 'SAME-1'), await create(cli, 'bolt', 'SAME-1')]
  for (const words of [
    ['deliveries', 'get', 'SAME-1'],
    ['explain', 'SAME-1'],
    ['deliveries', 'watch', 'SAME-1'],
    ['deliveries', 'proof', 'SAME-1'],
    ['events', 'list', '--delivery', 'SAME-1'],
  ]) {
    const ended = await cli.run([...words, '-P', 'acme,bolt,cargo', '--json'])
    expect(ended, words.join(' ')).toMatchObject({ exitCode: 5, stdout: '' })
    const { error } = JSON.parse(ended.stderr) as {
      error: { details: { candidates: { profile: string; deliveryId: string }[] } }
    }
    expect(error.details.candidates.map(({ profile, deliveryId }) => [profile, deliveryId]).toSorted()).toEqual([
      ['acme', ids[0]],
      ['bolt', ids[1]],
    ])
    const unknown = await cli.run([...words.map((word) => word.replace('SAME-1', 'NONE-1')), '-P', 'acme,bolt,cargo'])
    expect(unknown, words.join(' ')).toMatchObject({
      exitCode: 4,
      stdout: '',
      stderr: expect.stringContaining('No delivery in acme, bolt, cargo has the reference "NONE-1"'),
    })
  }
  expect(await cli.json(['deliveries', 'get', 'SAME-1', '-P', 'acme'])).toMatchObject({ deliveryId: ids[0] })
})

it('An account that does not answer hides nothing of the one that has it', async () => {
  const cli = await personWith('acme')
  const away = ['profiles', 'add', 'away', '-e', 'sandbox', '--base-url', 'http://127.0.0.1:9/delivery/v1']
  await cli.run([...away, '--api-key-stdin', '--no-keychain'], { stdin: 'key-of-away' })
  const id = await create(cli, 'acme', 'HERE-1')
  const got = await cli.run(['deliveries', 'get', 'HERE-1', '-P', 'acme,away', '-q', '--timeout', '3s'])
  expect(got).toMatchObject({ exitCode: 8, stdout: `${id}\n`, stderr: expect.stringMatching(/^away: /m) })
  const none = await cli.run(['deliveries', 'get', 'NONE-1', '-P', 'acme,away', '-q', '--timeout', '3s'])
  expect(none).toMatchObject({ exitCode: 8, stdout: '' })
})
