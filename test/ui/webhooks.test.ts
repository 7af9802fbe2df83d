import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import type { Delivery } from '../../src/contract/index.js'
import type { GapList, WebhookOverview } from '../../src/ui/wire/webhooks.js'
import { startHttpServer, takeAll } from '../support/http-server.js'
import { type Receiver, startTestReceiver } from '../support/sandbox/receiver.js'
import { axeViolations, describeInBrowser, expectFit, screenUrl } from '../support/ui/browser.js'
import { type Served, serveUi } from '../support/ui/inspector.js'

interface SentEvent {
  eventId: string
  deliveryId: string
  deliveryAttempts: number
}

describeInBrowser('Webhooks in the browser', (open) => {
  let served: Served
  let receiver: Receiver
  beforeAll(async () => {
    served = await serveUi('file', {
      // Events from before the listener runs: the journal lacks them.
      before: async (cli) => {
        await cli.json(['deliveries', 'create', '--file', 'examples/order.json', '--ref', 'BEFORE-1'])
      },
    })
    let end = () => {}
    receiver = await startTestReceiver(undefined, (close) => {
      end = close
    })
    return async () => {
      await served.close()
      end()
    }
  })
  const create = (reference: string) =>
    served.cli.json<Delivery>(['deliveries', 'create', '--file', 'examples/order.json', '--ref', reference])
  const eventsOf = (deliveryId: string) => served.cli.json<SentEvent[]>(['events', 'list', '--delivery', deliveryId])
  const attemptsOf = async (deliveryId: string) =>
    (await eventsOf(deliveryId)).map(({ deliveryAttempts }) => deliveryAttempts)
  const overview = (search = '') => served.read<WebhookOverview>(`/webhooks?q=${search}`)
  const status = (page: Page) => page.getByRole('status')
  const openScreen = async (search = '') => {
    const opened = await open(screenUrl(served.url, `/webhooks${search === '' ? '' : `?q=${search}`}`))
    await opened.page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor()
    await opened.page.getByRole('heading', { name: 'Receivers' }).waitFor()
    return opened
  }

  it('sends each event that matches exactly once more, and no other', async () => {
    const [matching, other] = [await create('MATCH-1'), await create('OTHER-1')]
    await served.cli.json(['simulate', matching.deliveryId, '--to', 'driver_at_pickup'])
    await expect.poll(async () => (await overview('MATCH-1')).matching).toBe(4)
    await expect.poll(() => attemptsOf(other.deliveryId)).toEqual([1])
    await expect.poll(() => attemptsOf(matching.deliveryId)).toEqual([1, 1, 1, 1])
    const { page, isClean } = await openScreen()
    await page.keyboard.press('/')
    await page.keyboard.type('match-1')
    await page.waitForURL(/q=match-1/)
    await page.getByText('4 events sent').waitFor()
    await page.getByRole('button', { name: 'Send all that match' }).click()
    await expect.poll(() => status(page).textContent()).toBe('Sent 4 events again: all delivered.')
    expect(await attemptsOf(matching.deliveryId)).toEqual([2, 2, 2, 2])
    expect(await attemptsOf(other.deliveryId)).toEqual([1])
    isClean()
  })

  it('says that it reads, and shows what it read first although news has it read again', async () => {
    const { page, isClean } = await open(screenUrl(served.url, '/live'))
    const held: (() => void)[] = []
    await page.route('**/api/webhooks?*', async (route) => {
      await new Promise<void>((resolve) => held.push(resolve))
      await route.continue()
    })
    await page.getByRole('link', { name: 'Webhooks' }).click()
    await page.getByText('Reading the events of a day…').waitFor()
    await create('SLOW-1')
    await expect.poll(() => held.length).toBe(2)
    held[0]?.()
    await page.getByRole('heading', { name: 'Receivers' }).waitFor()
    held[1]?.()
    isClean()
  })

  it('adds a receiver, which gets what happens, and removes it', async () => {
    const { page, isClean } = await openScreen()
    await page.getByLabel('URL of a receiver').fill(receiver.url)
    await page.getByRole('button', { name: 'Add receiver' }).click()
    await expect.poll(() => status(page).textContent()).toContain(receiver.url)
    await create('RECEIVED-1')
    await expect.poll(() => receiver.types).toContain('delivery.accepted')
    await page.getByRole('button', { name: `Remove ${receiver.url}` }).click()
    await expect.poll(async () => (await overview()).receivers.map(({ url }) => url)).not.toContain(receiver.url)
    isClean()
  })

  it('shows the retries to come, on the clock of the sandbox', async () => {
    const refusing = await startTestReceiver(() => 500)
    await served.post('/webhooks/receivers', { url: refusing.url })
    const { page } = await openScreen()
    await create('RETRIED-1')
    const row = page.getByRole('row').filter({ hasText: refusing.url }).filter({ hasText: '2 of 8' })
    await row.first().waitFor()
    await served.cli.json(['sandbox', 'clock', 'advance', '10s'])
    await page.getByRole('row').filter({ hasText: refusing.url }).filter({ hasText: '3 of 8' }).first().waitFor()
    const [endpoint] = (await overview()).receivers.filter(({ url }) => url === refusing.url)
    await served.post(`/webhooks/receivers/${endpoint?.id}/remove`, {})
  })

  it('rotates the secret and names the ones in use, never their values', async () => {
    const secrets = async () =>
      (await served.cli.json<{ secrets: string[] }>(['sandbox', 'rotate-secret', '--show'])).secrets
    const before = await secrets()
    const { page, isClean } = await openScreen()
    const button = page.getByRole('button', { name: 'Rotate secret' })
    await button.focus()
    expect(await page.locator('.command code').textContent()).toContain('dlv sandbox rotate-secret')
    await button.click()
    await expect.poll(() => status(page).textContent()).toContain('A new secret signs')
    const after = await secrets()
    expect(after).toHaveLength(before.length + 1)
    const said = JSON.stringify(await overview()) + (await page.content())
    for (const secret of after) expect(said).not.toContain(secret.replace('whsec_', ''))
    isClean()
  })

  it('fetches what is missing from the journal', async () => {
    const missing = async () => (await served.read<GapList>('/webhooks/gaps')).gaps.length
    expect(await missing()).toBeGreaterThan(0)
    const { page, isClean } = await openScreen()
    await page.getByRole('button', { name: 'Fetch what is missing' }).click()
    await expect.poll(() => status(page).textContent()).toMatch(/^Fetched \d+ missing event/)
    expect(await missing()).toBe(0)
    isClean()
  })

  it('examines a receiver and shows its cases', async () => {
    const careless = await startHttpServer(takeAll)
    const { page } = await openScreen()
    await page.getByLabel('Receiver to test').fill(careless)
    await page.getByRole('button', { name: 'Run the test' }).click()
    await page
      .getByRole('alert')
      .filter({ hasText: /breaks \d+ rules? of the contract/ })
      .waitFor()
    await expect.poll(() => page.locator('.cases .badge.bad').count()).toBeGreaterThan(3)
    expect(await page.locator('.cases .badge.good').count()).toBeGreaterThan(0)
  })

  it('asks before it sends many that no search has narrowed down', async () => {
    const [order, ids] = [JSON.parse((await served.cli.run(['deliveries', 'template'])).stdout), [] as string[]]
    for (let index = 0; index < 12; index++) {
      const body = { order: { ...order, clientOrderReference: `MANY-${index}` } }
      const { deliveryId } = (await (await served.post('/deliveries', body)).json()) as Delivery
      await served.post(`/deliveries/${deliveryId}/simulate`, { advanceTo: 'delivered' })
      ids.push(deliveryId)
    }
    const attempts = async () => (await Promise.all(ids.map(attemptsOf))).flat()
    await expect.poll(async () => Math.min(...(await attempts())), { interval: 300 }).toBe(1)
    const { matching } = await overview()
    expect(matching).toBeGreaterThan(100)
    const { page, isClean } = await openScreen()
    const button = page.getByRole('button', { name: 'Send all that match' })
    await button.click()
    const dialog = page.getByRole('dialog', { name: `Send ${matching} events again?` })
    expect(await axeViolations(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    expect(new Set(await attempts())).toEqual(new Set([1]))
    await button.click()
    await dialog.getByRole('button', { name: `Send ${matching} events` }).click()
    await status(page)
      .filter({ hasText: `Sent ${matching} events again` })
      .waitFor()
    expect(new Set(await attempts())).toEqual(new Set([2]))
    isClean()
  })

  it('fits narrow and wide screens, and axe finds nothing wrong in either theme', async () => {
    const { page } = await openScreen()
    await expectFit(page, [360, 900, 3840])
    expect(await axeViolations(page)).toEqual([])
  })
})
