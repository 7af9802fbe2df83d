import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startSandbox } from '../../src/sandbox/index.js'
import { routes } from '../../src/ui/server/routes.js'
import type { WebhookOverview } from '../../src/ui/wire/webhooks.js'
import { startHttpServer } from '../support/http-server.js'
import { create } from '../support/sandbox/five-accounts.js'
import { describeInBrowser, screenUrl, show } from '../support/ui/browser.js'
import { serveUi } from '../support/ui/inspector.js'
import { countingService } from '../support/ui/production.js'

const live = (baseUrl: string) => ({
  env: { DLV_BASE_URL: baseUrl, DLV_API_KEY: 'dlvk_live_1', DLV_ENVIRONMENT: 'production' },
})

describe('On a production profile, the server', () => {
  it('refuses whatever is posted, and sends no write', async () => {
    const service = await countingService()
    const served = await serveUi('test', live(service.baseUrl))
    expect(await served.read('/session')).toMatchObject({
      environment: 'production',
      readOnly: true,
      hasControl: false,
    })
    const posts = routes.filter(({ method }) => method === 'POST')
    expect(posts.length).toBeGreaterThan(3)
    for (const { path } of posts) {
      const body = { order: {}, advanceTo: 'delivered', changes: { tipAmountCents: 1 }, method: 'POST', path: '/reset' }
      const response = await served.post(path.replace(/:\w+/g, 'del_1'), body)
      expect(response.status, path).toBe(403)
      expect(await response.json()).toMatchObject({ error: { code: 'READ_ONLY' } })
    }
    expect(await served.read('/deliveries/del_1')).toMatchObject({ moves: [], editable: [], canCancel: false })
    expect(service.writes).toEqual([])
    expect(service.reads).toContain('GET /deliveries/del_1')
  })
})

it('The page and profiles secrets list show a secret by the same fingerprint', async () => {
  const service = await countingService()
  const secret = `whsec_${Buffer.from('a key of this test, of 32 bytes.').toString('base64')}`
  const env = { ...live(service.baseUrl).env, DLV_WEBHOOK_SECRET: secret }
  const served = await serveUi('test', { env })
  const file = join(served.cli.home, 'secret.txt')
  // The prefix is no part of the secret.
  writeFileSync(file, secret.slice('whsec_'.length))
  await served.cli.run(['profiles', 'secrets', 'add', 'local', file])
  const listed = await served.cli.json<{ fingerprint: string }[]>(['profiles', 'secrets', 'list', 'local'])
  const { secrets, reach } = await served.read<WebhookOverview>('/webhooks')
  // Of an account over the network, a day is read.
  expect(reach).toBe('day')
  expect(listed).toHaveLength(1)
  expect(secrets.map(({ fingerprint }) => fingerprint)).toEqual(listed.map(({ fingerprint }) => fingerprint))
})

describeInBrowser('On a production profile, the page', (open) => {
  it('says that it is read-only, and sends no write whatever is clicked', async () => {
    const service = await countingService()
    const served = await serveUi('test', live(service.baseUrl))
    const { page } = await open(served.url)
    // Where nothing can be copied, a dialog offers it, and would open over what is clicked next.
    await page.context().grantPermissions(['clipboard-write'])
    await page.getByText('read-only', { exact: true }).waitFor()
    const paths = [
      '/live',
      '/deliveries',
      '/deliveries?view=map',
      '/deliveries?view=list',
      '/deliveries/del_1',
      '/events/evt_1',
      '/webhooks',
      '/installations',
      '/installations?view=changes',
      '/time',
      '/report',
    ]
    for (const path of paths) {
      await show(page, screenUrl(served.url, path))
      await page.getByText('read-only', { exact: true }).waitFor()
      await page.getByRole('heading', { level: 1 }).waitFor()
      if (path.endsWith('changes')) {
        await page.getByText('FPCON bravo: expect longer waits at the gate').waitFor()
        await page.getByRole('button', { name: 'Contact: LIVE-1' }).waitFor()
      }
      if (path.endsWith('list')) {
        await page.getByRole('row').getByText('LIVE-1').waitFor()
        expect(await page.getByRole('row').getByRole('checkbox').count()).toBe(0)
      }
      const count = await page.locator('button:enabled:visible').count()
      for (let index = 0; index < count; index++) {
        const button = page.locator('button:enabled:visible').nth(index)
        if ((await button.count()) === 0) break
        await button.click({ timeout: 2_000 })
        await page.keyboard.press('Escape')
      }
      for (const name of [
        /^New order/,
        /^Advance/,
        'Update',
        'Cancel',
        'Send again',
        'Edit and send',
        'Save policy',
        /^Cancel/,
        /^Check/,
      ])
        expect(await page.getByRole('button', { name, disabled: false, exact: true }).count(), `${path} ${name}`).toBe(
          0,
        )
    }
    expect(service.writes).toEqual([])
  })

  it('says after a quiet hour that it read no more of an account over the network', async () => {
    const service = await countingService()
    service.isQuiet = true
    const served = await serveUi('test', live(service.baseUrl))
    const { page } = await open(served.url)
    await page.getByText('Nothing has happened in the last hour.').waitFor()
  })

  it('follows the clock of a served sandbox that was moved ahead', async () => {
    const sandbox = await startSandbox({ rateLimit: 'off' })
    onTestFinished(() => sandbox.close())
    // Without its control API it is a service like any other.
    const front = await startHttpServer(async ({ url = '/', headers }, response) => {
      if (!url.startsWith('/delivery')) return void response.writeHead(404).end()
      const authorization = headers.authorization ?? ''
      const answer = await sandbox.fetch(new Request(new URL(url, sandbox.baseUrl), { headers: { authorization } }))
      response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text())
    })
    const baseUrl = `${front}${new URL(sandbox.baseUrl).pathname}`
    const env = { DLV_BASE_URL: baseUrl, DLV_API_KEY: sandbox.apiKey, DLV_ENVIRONMENT: 'sandbox' }
    const served = await serveUi('test', { env })
    const { page } = await open(served.url)
    expect(await served.read('/session')).toMatchObject({ hasControl: false })
    await page.getByText('live', { exact: true }).waitFor()
    await sandbox.clock.advance('40d')
    await create(sandbox, 'AHEAD-1')
    await page.getByText('AHEAD-1').first().waitFor()
    expect(await page.locator('[role=alert].message.bad').count()).toBe(0)
  })

  it('says that the service cannot be read and since when, shows no zero meanwhile, and comes back', async () => {
    const service = await countingService()
    service.isAway = true
    const served = await serveUi('test', live(service.baseUrl))
    const { page } = await open(served.url)
    const alert = page.getByRole('alert').filter({ hasText: /could not be read since \d\d?:\d\d:\d\d.*: .+\. What/ })
    await alert.waitFor()
    await expect.poll(() => page.locator('.connection').textContent()).toBe('unavailable')
    expect(await page.locator('main').textContent()).not.toMatch(/Nothing has happened|0 lines/)
    await page.setViewportSize({ width: 390, height: 800 })
    const account = page.locator('.account')
    expect(await account.textContent()).toBe('no profile · production')
    expect(await account.locator('.environment').isVisible()).toBe(true)
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(390)
    await page.setViewportSize({ width: 1440, height: 900 })
    expect(await account.textContent()).toBe('no profile · production')
    await page.goto(screenUrl(served.url, '/deliveries'))
    await page.getByRole('region', { name: 'Problems' }).getByText('Not read yet').waitFor()
    expect(await page.locator('.column h2').allTextContents()).not.toContainEqual(expect.stringMatching(/\d/))
    for (const [path, what] of [
      ['/deliveries?view=map', 'the deliveries'],
      ['/deliveries/del_1', 'the delivery'],
      ['/events/evt_1', 'the event'],
      ['/webhooks', 'the events of a day'],
      ['/installations', 'the installations'],
      ['/installations?view=changes', 'the changes'],
    ] as const) {
      await show(page, screenUrl(served.url, path))
      await page.getByText(`Could not read ${what}.`).waitFor()
    }
    await show(page, screenUrl(served.url, '/deliveries'))
    const other = await page.context().newPage()
    const failed = other.waitForResponse((answer) => answer.url().includes('/api/report') && !answer.ok(), {
      timeout: 30_000,
    })
    await other.goto(screenUrl(served.url, '/report'))
    await failed
    await other.getByText('Could not read the events of the period.').waitFor()
    // That the service is away is said once.
    expect(await other.locator('[role=alert].message.bad').count()).toBe(1)
    expect(served.running.errors().match(/Away/g)).toHaveLength(1)
    service.isAway = false
    await page.getByText('LIVE-1').waitFor()
    // A screen that was opened meanwhile is read, too.
    await other.getByText('1 delivery', { exact: true }).waitFor()
    await other.close()
    await expect.poll(() => page.locator('.connection').textContent()).toBe('live')
    await expect.poll(() => alert.count()).toBe(0)
  })
})
