import { describe, expect, it } from 'vitest'
import { createCli } from '../../support/cli/program.js'
import { startHttpServer, takeAll } from '../../support/http-server.js'

async function served(...words: string[]) {
  const cli = createCli()
  const sandbox = cli.start(['sandbox', 'start', '--port', '0', '--data', ':memory:', '-o', 'json', ...words])
  const { baseUrl, apiKey } = JSON.parse(await sandbox.line((line) => line.includes('ready')))
  const get = async (path: string, key = apiKey) => {
    const response = await fetch(`${baseUrl}${path}`, { headers: { authorization: `Bearer ${key}` } })
    await response.text()
  }
  return { sandbox, get, baseUrl, apiKey }
}

describe('sandbox start', () => {
  it('logs each request as one line on stderr, without keys', async () => {
    const { sandbox, get, apiKey } = await served()
    await get('/capabilities')
    await get('/deliveries/del_missing')
    await get('/capabilities', 'dlvk_sbx_revoked')
    const { stderr } = await sandbox.kill('SIGTERM')
    const lines = stderr.trimEnd().split('\n')
    expect(lines).toHaveLength(3)
    expect(lines[0]).toMatch(/^\d{4}-\S+Z {2}200 {2}GET {4}\/delivery\/v1\/capabilities {2}\d+ ms$/)
    expect(lines[1]).toMatch(/404 {2}GET {4}\/delivery\/v1\/deliveries\/del_missing {2}\d+ ms {2}DELIVERY_NOT_FOUND$/)
    expect(lines[2]).toContain('UNAUTHORIZED')
    expect(stderr).not.toContain(apiKey)
  })

  it.each([
    ['sandbox start', ['--data', ':memory:']],
    ['webhooks listen', []],
  ])('%s says that its port is in use, and what to do', async (command, flags) => {
    const { port } = new URL(await startHttpServer(takeAll))
    expect(await createCli().run([...command.split(' '), ...flags, '--port', port])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(
        `(?:^|\\n)error: Port ${port} is in use on 127.0.0.1.\nhint: .*--port 0 takes a free one.`,
      ),
    })
  })

  it('logs nothing with --quiet', async () => {
    const { sandbox, get } = await served('--quiet')
    await get('/capabilities')
    expect((await sandbox.kill('SIGTERM')).stderr).toBe('')
  })

  it('shows a line to copy whole on a narrow terminal', async () => {
    const cli = createCli()
    const sandbox = cli.startOnTerminal(['sandbox', 'start', '--port', '0', '--data', ':memory:'], { columns: 60 })
    await sandbox.shows('Ctrl-C')
    sandbox.type('\u0003')
    const { stdout, exitCode } = await sandbox.ended
    expect(exitCode).toBe(130)
    expect(stdout).toMatch(/DLV_BASE_URL=http:\S+ DLV_API_KEY=\S+ dlv deliveries list\r?\n/)
  })
})
