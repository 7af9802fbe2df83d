import { describe, expect, it } from 'vitest'
import { createCli } from '../support/cli/program.js'
import { describeInBrowser } from '../support/ui/browser.js'

const ready = (line: string) => line.includes('"ready"')

describeInBrowser('dlv ui', (open) => {
  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('ends on %s with %i while a page is open', async (signal, exitCode) => {
    const running = createCli().startProcess(['ui', '--port', '0', '-o', 'json'], { env: { DLV_NO_NOTICE: '1' } })
    const first = await running.line(() => true)
    const { type, url } = JSON.parse(first)
    expect({ type, url }).toEqual({
      type: 'ready',
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/ui\/#token=[\w-]{32}$/),
    })
    const { page } = await open(url)
    await page.getByText('live', { exact: true }).waitFor()
    expect(await running.kill(signal)).toMatchObject({ exitCode, stderr: '' })
    await page.getByText('offline', { exact: true }).waitFor()
  })
})

describe('The page beside other commands', () => {
  it('is named by the ready line of sandbox start', async () => {
    const running = createCli().start(['sandbox', 'start', '--port', '0', '--data', ':memory:', '--ui', '-o', 'json'])
    const { uiUrl, baseUrl } = JSON.parse(await running.line(ready))
    const token = uiUrl.split('#token=')[1]
    const response = await fetch(new URL('/ui/api/session', uiUrl), { headers: { authorization: `Bearer ${token}` } })
    expect(await response.json()).toMatchObject({ service: baseUrl, hasControl: true, readOnly: false })
  })

  it('is named by the ready line of webhooks listen, and takes another port if one is taken', async () => {
    const cli = createCli()
    const other = createCli().start(['sandbox', 'start', '--port', '0', '--data', ':memory:', '--ui', '-o', 'json'])
    const taken = JSON.parse(await other.line(ready)).uiUrl
    const running = cli.start(['webhooks', 'listen', '--ui', '-o', 'ndjson'])
    const { uiUrl, url } = JSON.parse(await running.line(ready))
    expect(new URL(uiUrl).port).not.toBe(new URL(taken).port)
    const token = uiUrl.split('#token=')[1]
    const response = await fetch(new URL('/ui/api/session', uiUrl), { headers: { authorization: `Bearer ${token}` } })
    expect(await response.json()).toMatchObject({ listenerUrl: url, hasJournal: true })
  })

  it('is not shown where its port is taken, with what to do', async () => {
    const first = createCli().start(['ui', '--port', '0', '-o', 'json'])
    const { port } = new URL(JSON.parse(await first.line(ready)).url)
    const { exitCode, stderr } = await createCli().run(['ui', '--port', port])
    expect(exitCode).toBe(2)
    expect(stderr).toContain(`Port ${port} is in use on 127.0.0.1.`)
    expect(stderr).toContain('--port 0 takes a free one.')
  })
})
