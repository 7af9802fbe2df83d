import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parsePostgresAddress } from '../../src/postgres/index.js'
import { parseWebAddress, shownUrl } from '../../src/shared/web-address.js'
import { newSecret } from '../../src/webhooks/index.js'
import { createCli } from '../support/cli/program.js'
import { startTestApp } from '../support/listener/test-app.js'
import { postEvent, testEvent } from '../support/listener/test-listener.js'
import { until } from '../support/until.js'

const secret = newSecret()

function thrownBy(work: () => unknown): string {
  try {
    work()
    return ''
  } catch (error) {
    const { message, hint } = error as { message: string; hint?: string }
    return `${message} ${hint}`
  }
}
const env = { DLV_WEBHOOK_SECRET: secret, DLV_BASE_URL: 'http://127.0.0.1:9/delivery/v1', DLV_API_KEY: 'dlvk_test' }

/** Passwords with characters that end them, in parts that are searched for. */
const passwords = ['1234/right29', 'left17?right29', 'left17@right29/more31']
const parts = /1234|left17|right29|more31/

const orders = ['deliveries', 'create', '--file', 'examples/orders.ndjson']
const fixed = ['webhooks', 'test', '--to', 'http://127.0.0.1:9/']
const doors: [words: string[], scheme: string][] = [
  [['webhooks', 'listen', '--journal'], 'postgres://'],
  [['webhooks', 'status', '--journal'], 'postgres://'],
  [['webhooks', 'status', '--journal'], 'postgre://'],
  [['webhooks', 'status', '--journal'], ''],
  [[...orders, '--results'], 'postgres://'],
  [[...orders, '--results'], ''],
  [['deliveries', 'results', '--results'], 'postgres://'],
  [['deliveries', 'results', '--results'], 'mysql://'],
  [['webhooks', 'listen', '--forward-to'], 'http://'],
  [['webhooks', 'listen', '--forward-to', 'http://127.0.0.1:9/', '--forward-to'], 'delivery.failed=https://'],
  [['webhooks', 'send', 'delivery.failed', '--to'], 'http://'],
  [['webhooks', 'resend', 'evt_1', '--to'], 'http:/'],
  [['webhooks', 'targets', 'remove'], 'http://'],
  [['events', 'replay', 'evt_1', '--to'], ''],
  [['webhooks', 'test', '--to'], 'http://'],
  [[...fixed, '--state-url'], 'http://'],
  [['sandbox', 'play', 'ordinary-day', '--target'], 'http://'],
  [['sandbox', 'endpoints', 'add'], 'http://'],
  [['deliveries', 'list', '--base-url'], 'https://'],
  [['profiles', 'add', 'x', '--environment', 'sandbox', '--base-url'], 'https://'],
]

describe('a password in an address', () => {
  it.each([
    [['drift', '--journal'], 'postgres://u:right29@h/x'],
    [['webhooks', 'status'], 'postgres://u:right29@h/x'],
    [['deliveries', 'list'], 'http://u:right29@h'],
    [['deliveries', 'create', '--file'], 'postgres://u:right29@h/x'],
    [['webhooks', 'status', '--journal'], 'host=h password=right29'],
    [['profiles', 'use'], 'u:right29@h'],
    [['deliveries', 'list', '--status'], 'u:ri@right29@h'],
    [['deliveries', 'list', '-P'], 'u:right29@h'],
    [['webhooks', 'status', '--journal'], 'u:right29@h/x'],
    [['webhooks', 'status', '--journal'], 'http//u:right29@h'],
  ])('is not repeated where it does not belong: %j %s', async (words, address) => {
    const { exitCode, stdout, stderr } = await createCli().run([...words, address], { env })
    expect([exitCode, `${stdout}${stderr}`]).toEqual([2, expect.not.stringContaining('right29')])
  })

  it.each([
    [['u:right29@h']],
    [['help', 'u:right29@h']],
    [['deliveries', 'u:right29@h']],
    [['u:right29@h', '--help']],
  ])('is not repeated as a command: %j', async (words) => {
    const { exitCode, stdout, stderr } = await createCli().run(words, { env })
    expect([exitCode, `${stdout}${stderr}`]).toEqual([127, expect.not.stringContaining('right29')])
  })

  it('is not seen in the path of a journal', async () => {
    const cli = createCli()
    for (const folder of ['u@corp', 'u:x@corp']) {
      const file = join(cli.home, folder, 'j.db')
      const { stderr } = await cli.run(['webhooks', 'status', '--journal', file], { env })
      expect(stderr).toContain(`dlv webhooks listen --journal ${file} creates it`)
    }
  })

  it.each(doors)('is never repeated by %j with %j', async (words, scheme) => {
    for (const password of passwords) {
      const { exitCode, stdout, stderr } = await createCli().run([...words, `${scheme}dlv:${password}@127.0.0.1:9/x`], {
        env,
      })
      expect(exitCode).not.toBe(0)
      expect(stderr).not.toContain('bug')
      expect([password, `${stdout}${stderr}`]).toEqual([password, expect.not.stringMatching(parts)])
    }
  })

  it('is not repeated whatever character ends it', () => {
    for (const password of [...passwords, 'left17#right29', 'left17\\right29', 'left17 right29', '%zzleft17']) {
      const address = `dlv:${password}@127.0.0.1:9/x`
      const texts = [
        thrownBy(() => parsePostgresAddress(`postgres://${address}`, {})),
        thrownBy(() => parseWebAddress(`http://${address}`, '--to')),
        shownUrl(`http://${address}`),
      ]
      expect([password, ...texts]).toEqual([password, ...texts.map(() => expect.not.stringMatching(parts))])
    }
  })

  it('is never repeated of a variable', async () => {
    for (const password of passwords)
      for (const name of ['DLV_BASE_URL', 'DLV_JOURNAL']) {
        const scheme = name === 'DLV_JOURNAL' ? 'postgres' : 'https'
        const variables = { ...env, [name]: `${scheme}://dlv:${password}@127.0.0.1:9/x` }
        const words = name === 'DLV_JOURNAL' ? ['webhooks', 'status'] : ['deliveries', 'list', '--timeout', '1s']
        const { stdout, stderr } = await createCli().run(words, { env: variables })
        expect([name, password, `${stdout}${stderr}`]).toEqual([name, password, expect.not.stringMatching(parts)])
      }
  })
})

describe('a target with a user, a password and a query', () => {
  it('is shown by origin and path in records, metrics, status, targets, log, resend and send', async () => {
    const cli = createCli()
    const app = await startTestApp()
    const { host } = new URL(app.url)
    const target = `http://user53:pass59@${host}/hooks?token=query61`
    const words = ['webhooks', 'listen', '-o', 'ndjson', '--admin-port', '0', '--show-response', '--forward-to', target]
    const listener = cli.start([...words, '--forward-to', 'http://user53:pass59@127.0.0.1:9/hooks?token=query61'], {
      env,
    })
    const { url, adminUrl } = JSON.parse(await listener.line((line) => line.includes('"ready"')))
    const event = testEvent()
    expect(await postEvent(url, secret, event)).toBe(200)
    await until('both attempts', () => listener.lines().filter((line) => line.includes('"forwarded"')).length >= 2)
    const shown = [await (await fetch(`${adminUrl}/metrics`)).text(), ...listener.lines()]
    const replay = { env }
    for (const command of [
      ['webhooks', 'status', '--json'],
      ['webhooks', 'targets', 'list', '--json'],
      ['webhooks', 'log', event.id, '--json'],
      ['webhooks', 'resend', event.id, '--to', target, '--json'],
      ['webhooks', 'send', 'delivery.failed', '--to', target, '--json'],
      ['webhooks', 'test', '--to', target, '--json'],
    ]) {
      const { stdout, stderr } = await cli.run(command, replay)
      expect([command, stdout]).toEqual([command, expect.stringContaining('/hooks')])
      shown.push(stdout, stderr)
    }
    expect(shown.join('\n')).not.toMatch(/user53|pass59|query61/)
    // What was posted went to the whole address.
    expect(app.arrived.length).toBeGreaterThan(2)
    await listener.kill('SIGINT')
    const words2 = ['webhooks', 'targets', 'remove', 'http://127.0.0.1:9/hooks', '--yes', '--json']
    const removed = await cli.run(words2, { env })
    expect([removed.exitCode, JSON.parse(removed.stdout)]).toEqual([
      0,
      { url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:9\/hooks#[0-9a-f]{6}$/), givenUp: 1 },
    ])
  })
})
