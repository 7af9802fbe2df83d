import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createCli } from '../../support/cli/program.js'
import { pageRows, serveManyDeliveries } from '../../support/sandbox/many-deliveries.js'

/** More rows than the screen of the terminal, which has 40. */
const list = ['deliveries', 'list', '--from', '30d', '--limit', '60']

async function served(rows = 1_000) {
  const service = await serveManyDeliveries(rows)
  onTestFinished(() => service.close())
  const cli = createCli()
  const paged = join(cli.home, 'paged')
  const env = { ...service.env, NO_COLOR: '1', DLV_PAGER: `cat > ${paged}; echo left` }
  return { service, cli, env, paged }
}

it('shows what is longer than the screen in the pager, whole, and the notices after it', async () => {
  const { cli, env, paged } = await served()
  const { exitCode, stdout } = await cli.runOnTerminal(list, { env, columns: 100 })
  expect(exitCode).toBe(0)
  expect(readFileSync(paged, 'utf8').trimEnd().split('\n')).toHaveLength(61)
  expect(stdout).not.toContain('ORDER-1')
  expect(stdout).toMatch(/^left\r\n[\s\S]*60 deliveries:/)
})

it('prints what fits, and everything without a pager or if the pager cannot be run', async () => {
  const { cli, env, paged } = await served()
  const screen = { columns: 100, rows: 40 }
  const short = ['deliveries', 'list', '--from', '30d', '--limit', '5']
  const plain: [string[], NodeJS.ProcessEnv][] = [
    [short, env],
    [[...list, '--no-pager'], env],
    [[...list, '--no-input'], env],
    [list, { ...env, DLV_PAGER: '' }],
    [list, { ...env, DLV_PAGER: 'cat' }],
    [list, { ...env, CI: '1' }],
  ]
  for (const [words, variables] of plain) {
    const { exitCode, stdout } = await cli.run(words, { env: variables, ...screen })
    expect(exitCode).toBe(0)
    expect(stdout).toContain('ORDER-4 ')
    if (words !== short) expect(stdout).toContain('ORDER-59 ')
  }
  const unknown = { env: { ...env, DLV_PAGER: 'no-such-pager -x' }, columns: 100 }
  expect(await cli.runOnTerminal(list, unknown)).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/ORDER-4 [\s\S]*ORDER-59 /),
  })
  expect((await cli.run(list, { env })).stdout.split('\n')).toHaveLength(61)
  expect(existsSync(paged)).toBe(false)
  // The same terminal has a pager for what none of that keeps from it.
  expect((await cli.run(list, { env: { ...env, DLV_PAGER: `cat > ${paged}` }, ...screen })).stdout).not.toContain(
    'ORDER-4 ',
  )
  expect(existsSync(paged)).toBe(true)
})

it('requests nothing more once the pager was left', async () => {
  const { cli, env, service } = await served(1_000_000)
  const words = ['deliveries', 'list', '--from', '30d', '--all']
  const run = await cli.runOnTerminal(words, { env: { ...env, DLV_PAGER: 'head -2' }, columns: 100 })
  expect(run.exitCode).toBe(0)
  expect(run.stdout).toContain('ORDER-0 ')
  expect(service.asked.length).toBeLessThan(2_000_000 / pageRows / 100)
})
