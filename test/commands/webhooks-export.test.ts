import { execFile } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newSecret, sampleEvent, sendEvent, verify } from '../../src/webhooks/index.js'
import { createCli } from '../support/cli/program.js'
import { startTestApp } from '../support/listener/test-app.js'
import { createTempDir } from '../support/temp-dir.js'

const cli = createCli(afterAll)
const secret = newSecret()
const alone = {
  DLV_BASE_URL: 'https://api.example.com/v1',
  DLV_ENVIRONMENT: 'sandbox',
  DLV_API_KEY: 'key_1',
  DLV_WEBHOOK_SECRET: secret,
}

/** Bodies that a careless writer would spoil; each is JSON, so that a listener takes it. */
const hostile: Record<string, Buffer> = {
  quotes: Buffer.from(`{"note":"it's \\"quoted\\" \`touch /tmp/x\` $(touch /tmp/x) \${HOME} !! \\\\ %s *"}`),
  layout: Buffer.from('{\n\t"note" : "1.0",\n "n": 1.0 }\n\n'),
  returns: Buffer.from('{\r\n"note": "DOS"}\r\n'),
  unicode: Buffer.from('{"note":"Zoë 🚚 \u2028 \u202e \u009b31m \ufeff"}'),
  large: Buffer.from(JSON.stringify({ note: "it's ".repeat(60_000) })),
  at: Buffer.from('"@/etc/hostname"'),
}
const ids = Object.keys(hostile).map((name) => `evt_${name}`)
const bodyOf = (id: string) => hostile[id.replace('evt_', '')] ?? Buffer.alloc(0)

const exported = async (id: string, format: string) => {
  const { exitCode, stdout, stderr } = await cli.run(['webhooks', 'log', id, '--as', format], { env: alone })
  expect(exitCode, stderr).toBe(0)
  return stdout
}

function createFile(name: string, content: string): string {
  const file = join(cli.home, name)
  writeFileSync(file, content)
  return file
}

let listenerUrl = ''
beforeAll(async () => {
  const listener = cli.start(['webhooks', 'listen', '-o', 'ndjson'], { env: alone })
  listenerUrl = JSON.parse(await listener.line(() => true)).url
  for (const id of ids)
    await sendEvent({ url: `${listenerUrl}?tenant=7&x=$HOME`, secrets: [secret], id, body: bodyOf(id) })
  await listener.kill()
})

describe('webhooks log --as', () => {
  it.each(
    ids.flatMap((id) => [[id, 'curl', '.'] as const, [id, 'fish', 'fish --no-config'] as const]),
  )('posts the exact bytes of %s from a real shell (%s), with a signature that is still good', async (id, format, run) => {
    const app = await startTestApp()
    const command = (await exported(id, format)).replace(`${listenerUrl}?tenant=7&x=$HOME`, app.url)
    // As a script, because a command line has a limit of its own.
    const script = createFile(`${id}.${format}`, command)
    const { stdout, stderr } = await cli.shell(`${run} ${script}`)
    expect(stdout, stderr).toMatch(/^HTTP\/1\.1 200 OK/)
    const [arrived] = app.arrived
    expect(arrived?.body).toEqual(bodyOf(id))
    expect(verify({ secrets: [secret], headers: arrived?.rawHeaders ?? [], body: bodyOf(id) })).toMatchObject({
      ok: true,
      id,
    })
  })

  it('keeps the path and the query by which a webhook came', async () => {
    const cameBy = `${listenerUrl}?tenant=7&x=$HOME`
    expect(await exported('evt_quotes', 'curl')).toContain(`--request POST '${cameBy}'`)
    expect(await exported('evt_quotes', 'http')).toMatch(/^POST \/\?tenant=7&x=\$HOME HTTP\/1\.1\r\n/)
    const [{ request }] = JSON.parse(await exported('evt_quotes', 'har')).log.entries
    expect(request.url).toBe(cameBy)
    expect(request.queryString).toContainEqual({ name: 'tenant', value: '7' })
    const app = await startTestApp()
    const words = ['webhooks', 'resend', 'evt_quotes', '--yes', '--to']
    expect((await cli.run([...words, new URL(app.url).origin], { env: alone })).exitCode).toBe(0)
    expect((await cli.run([...words, `${app.url}?y=1`], { env: alone })).exitCode).toBe(0)
    expect(app.arrived.map(({ path }) => path)).toEqual(['/?tenant=7&x=$HOME', '/hooks?y=1'])
  })

  it.each(ids)('powershell holds the exact bytes of %s in quotes that end where it ends them', async (id) => {
    const command = await exported(id, 'powershell')
    expect(command).toMatch(/^Invoke-WebRequest [^\n]*-Uri 'http:[^\n]*' `\n {2}-ContentType 'application\/json' `\n/)
    const [, text, base64] =
      /GetBytes\('((?:[^'\u2018-\u201b]|['\u2018-\u201b]{2})*)'\)\)|FromBase64String\('(.*)'\)\)/.exec(command) ?? []
    const held = base64 === undefined ? Buffer.from((text ?? '').replaceAll("''", "'")) : Buffer.from(base64, 'base64')
    expect(held).toEqual(bodyOf(id))
  })

  it.each(ids)('http and har of %s are read back by verify, byte for byte', async (id) => {
    for (const format of ['http', 'har']) {
      const file = createFile(`${id}.${format}`, await exported(id, format))
      const verdict = await cli.run(['webhooks', 'verify', '--request', file], { env: alone })
      expect([format, verdict.exitCode]).toEqual([format, 0])
    }
  })

  it('har is an archive of HAR 1.2 with one request', async () => {
    const { log } = JSON.parse(await exported('evt_quotes', 'har'))
    expect(Object.keys(log)).toEqual(['version', 'creator', 'entries'])
    const [{ startedDateTime, request, response, timings }] = log.entries
    expect(new Date(startedDateTime).toISOString()).toBe(startedDateTime)
    expect(request).toMatchObject({
      method: 'POST',
      cookies: [],
      bodySize: bodyOf('evt_quotes').length,
    })
    expect(request.postData).toEqual({ mimeType: 'application/json', text: bodyOf('evt_quotes').toString() })
    expect(request.headers).toContainEqual({ name: 'webhook-id', value: 'evt_quotes' })
    expect([response.status, Object.values(timings)]).toEqual([0, [0, 0, 0]])
  })

  it.each(ids)('fixture has headers and the exact text of %s', async (id) => {
    const { headers, body, encoding = 'utf8', ...rest } = JSON.parse(await exported(id, 'fixture'))
    expect(rest).toEqual({})
    expect(Buffer.from(body, encoding)).toEqual(bodyOf(id))
    expect(verify({ secrets: [secret], headers, body: bodyOf(id) })).toMatchObject({ ok: true, id })
  })

  it('prints nothing that a terminal or an editor would act on, except in bytes that were asked for', async () => {
    for (const format of ['har', 'curl', 'fixture', 'vitest'])
      expect(await exported('evt_unicode', format)).not.toMatch(/[\u0080-\u009f\u2028\u202e]/)
    const terminal = await cli.run(['webhooks', 'log', 'evt_unicode', '--as', 'http'], { env: alone, columns: 80 })
    expect(terminal.stdout).not.toMatch(/[\u0080-\u009f\u2028\u202e]/)
  })

  it('takes an event that was never received from the sandbox, signed with its secret', async () => {
    const order = ['--file', 'examples/order.json', '--ref', 'AS-1']
    const { deliveryId } = await cli.json(['deliveries', 'create', ...order])
    const [event] = await cli.json<{ eventId: string }[]>(['events', 'list', '--delivery', String(deliveryId)])
    const { stdout } = await cli.run(['webhooks', 'log', String(event?.eventId), '--as', 'fixture'])
    const { headers, body } = JSON.parse(stdout)
    expect(JSON.parse(body)).toMatchObject({ eventId: event?.eventId, delivery: { deliveryId } })
    await cli.run(['sandbox', 'endpoints', 'add', 'http://127.0.0.1:9/hooks?x=1'])
    await cli.run(['sandbox', 'resend', String(event?.eventId)])
    const command = await cli.run(['webhooks', 'log', String(event?.eventId), '--as', 'curl'])
    expect(command.stdout).toContain("'http://127.0.0.1:9/hooks?x=1'")
    const { secret: own } = await cli.json<{ secret: string }>(['sandbox', 'rotate-secret', '--show'])
    expect(verify({ secrets: [own], headers, body: Buffer.from(body) })).toMatchObject({ ok: true, id: event?.eventId })
  })

  it.each([
    [['webhooks', 'log', '--as', 'curl'], 'needs the id of an event'],
    [['webhooks', 'log', 'evt_quotes', '--as', 'wget'], 'wget'],
    [['webhooks', 'log', 'evt_quotes', '--as', 'curl', '--jq', '.'], '--as fixture'],
    [['webhooks', 'log', 'evt_quotes', '--as', 'curl', '--all'], '--all'],
  ])('refuses %s', async (words, text) => {
    const { exitCode, stderr } = await cli.run(words, { env: alone })
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(text)])
  })

  it('vitest writes a test that fails on the bug that it captured and passes once it is mended', async () => {
    const event = {
      ...sampleEvent('delivery.dispatch_failed', { eventId: 'evt_bug' }),
      note: hostile.quotes?.toString(),
    }
    const listener = cli.start(['webhooks', 'listen', '-o', 'ndjson'], { env: alone })
    const { url } = JSON.parse(await listener.line(() => true))
    await sendEvent({ url, secrets: [secret], body: JSON.stringify(event) })
    await listener.kill()
    const folder = createTempDir()
    symlinkSync(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'))
    writeFileSync(join(folder, 'captured.test.ts'), await exported('evt_bug', 'vitest'))

    let isMended = false
    const app = await startTestApp((arrived, response) => {
      const verdict = verify({ secrets: [secret], headers: arrived.rawHeaders, body: arrived.body })
      if (!verdict.ok) return response.writeHead(401).end(verdict.reason)
      const { driver } = JSON.parse(arrived.body.toString()).delivery
      try {
        // The bug: not every delivery has a driver.
        const name: string = isMended ? (driver?.name ?? 'nobody') : driver.name
        response.end(name)
      } catch (error) {
        response.writeHead(500).end(String(error))
      }
    })
    const vitest = () =>
      new Promise<{ failed: boolean; output: string }>((resolve) => {
        const script = join(process.cwd(), 'node_modules', 'vitest', 'vitest.mjs')
        const env = { PATH: process.env.PATH, HOME: cli.home, DLV_WEBHOOK_URL: app.url, DLV_WEBHOOK_SECRET: secret }
        execFile(process.execPath, [script, 'run', '--root', folder], { env, cwd: folder }, (error, stdout, stderr) =>
          resolve({ failed: error !== null, output: stdout + stderr }),
        )
      })
    const first = await vitest()
    expect(first).toMatchObject({
      failed: true,
      output: expect.stringContaining(
        "The receiver answered 500 TypeError: Cannot read properties of undefined (reading 'name')",
      ),
    })
    isMended = true
    const second = await vitest()
    expect(second.failed, second.output).toBe(false)
    expect(app.arrived.map(({ body }) => body.toString())).toEqual(Array(2).fill(JSON.stringify(event)))
  })
})
