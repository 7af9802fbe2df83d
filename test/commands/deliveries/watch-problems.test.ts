import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createCli } from '../../support/cli/program.js'
import { jsonLines } from '../../support/json-lines.js'
import { serveSandbox } from '../../support/sandbox/served-sandbox.js'
import { until } from '../../support/until.js'

const sandbox = serveSandbox({ timeScale: 0 })

describe('deliveries watch --problems', () => {
  it('tells each problem once, and acts once for each that comes', async () => {
    const cli = createCli()
    const env = sandbox.env()
    const run = async (...words: string[]) => expect(await cli.run(words, { env })).toMatchObject({ exitCode: 0 })
    const create = (reference: string) =>
      run('deliveries', 'create', '--file', 'examples/order.json', '--ref', reference, '--name', reference)
    for (const reference of ['OLD', 'NEW', 'SLOW']) await create(reference)
    await run('simulate', 'OLD', '--to', 'failed')
    await run('simulate', 'SLOW', '--to', 'driver_at_pickup')
    const acted = join(cli.home, 'acted')
    const exec = `cat >> '${acted}'; echo "$DLV_DELIVERY_ID $DLV_PROBLEM" >> '${acted}.variables'; echo told`
    const watch = cli.startProcess(
      ['deliveries', 'watch', '--problems', '--exec', exec, '--interval', '200ms', '-o', 'ndjson'],
      {
        env,
      },
    )
    expect(JSON.parse(await watch.line((line) => line.includes('OLD')))).toMatchObject({
      clientOrderReference: 'OLD',
      status: 'failed',
      problem: expect.stringContaining('failed'),
    })
    await run('simulate', 'NEW', '--to', 'failed', '--reason', 'gate_closed')
    await watch.line((line) => line.includes('NEW'))
    await sandbox.running.clock.advance('3h')
    await watch.line((line) => line.includes('SLOW') && line.includes('at the store'))
    await until('the commands', () => existsSync(acted) && readFileSync(acted, 'utf8').includes('SLOW'))
    // Older by an hour, it is the same problem.
    await sandbox.running.clock.advance('1h')
    await create('LAST')
    await run('simulate', 'LAST', '--to', 'failed')
    await watch.line((line) => line.includes('LAST'))
    const { exitCode, stdout } = await watch.kill('SIGINT')
    expect(exitCode).toBe(130)
    expect(stdout).not.toContain('told')
    expect(watch.errors()).toContain('told')
    const references = jsonLines(stdout).map(({ clientOrderReference }) => clientOrderReference)
    expect(references).toEqual(['OLD', 'NEW', 'SLOW', 'LAST'])
    const subjects = jsonLines(readFileSync(acted, 'utf8')).map(({ clientOrderReference }) => clientOrderReference)
    expect(subjects.slice(0, 2)).toEqual(['NEW', 'SLOW'])
    expect(subjects).not.toContain('OLD')
    expect(readFileSync(`${acted}.variables`, 'utf8')).toMatch(/^del_\w+ failed: gate_closed\n/)
  })

  it('ends with --for, and says on a terminal what is wrong', async () => {
    const cli = createCli()
    const env = sandbox.env()
    const words = ['deliveries', 'watch', '--problems', '--for', '1s', '--interval', '200ms']
    const { exitCode, stdout } = await cli.run(words, { env, columns: 100 })
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/\d\d:\d\d:\d\d {2}\S+ {2}failed/)
  })

  it('refuses --exec and --notify for one delivery', async () => {
    const { exitCode, stderr } = await createCli().run(['deliveries', 'watch', 'X', '--exec', 'true'])
    expect(exitCode).toBe(2)
    expect(stderr).toContain('--problems')
  })
})
