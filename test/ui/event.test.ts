import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import type { Delivery } from '../../src/contract/index.js'
import type { EventDetail } from '../../src/ui/wire/events.js'
import { startTestReceiver } from '../support/sandbox/receiver.js'
import { axeViolations, describeInBrowser, screenUrl } from '../support/ui/browser.js'
import { type Served, serveUi } from '../support/ui/inspector.js'

interface Listed {
  eventId: string
  eventType: string
}
interface Attempt {
  attempt: number
  statusCode: number | null
}

const hostile = `<script>alert(1)</script>"><img src=x onerror=alert(1)>`

describeInBrowser('An event in the browser', (open) => {
  let served: Served
  beforeAll(async () => {
    served = await serveUi('file')
    return served.close
  })
  const create = (reference: string, ...words: string[]) =>
    served.cli.json<Delivery>(['deliveries', 'create', '--file', 'examples/order.json', '--ref', reference, ...words])
  const eventsOf = (deliveryId: string) => served.cli.json<Listed[]>(['events', 'list', '--delivery', deliveryId])
  const detailOf = (eventId: string) => served.read<EventDetail>(`/events/${eventId}`)
  const status = (page: Page) => page.getByRole('status')

  /** A delivery with its first event received by the listener of the page. */
  async function receivedEvent(reference: string, ...words: string[]) {
    const delivery = await create(reference, ...words)
    const [event] = await eventsOf(delivery.deliveryId)
    const eventId = event?.eventId ?? ''
    await expect.poll(async () => (await detailOf(eventId)).verdict.state).toBe('verified')
    return { delivery, eventId }
  }
  async function openEvent(eventId: string, type = 'delivery.accepted') {
    const opened = await open(screenUrl(served.url, `/events/${eventId}`))
    await opened.page.getByRole('heading', { level: 1, name: type }).waitFor()
    return opened
  }

  it('has its verdict, headers, body, and what changed since the event before', async () => {
    const { delivery } = await receivedEvent('SHOWN-1')
    await served.cli.json(['simulate', delivery.deliveryId, '--to', 'driver_assigned'])
    const events = await eventsOf(delivery.deliveryId)
    const { eventId = '' } = events.find(({ eventType }) => eventType === 'delivery.driver_assigned') ?? {}
    await expect.poll(async () => (await detailOf(eventId)).verdict.state).toBe('verified')
    const { page, isClean } = await openEvent(eventId, 'delivery.driver_assigned')
    const text = await page.getByRole('main').innerText()
    expect(text).toContain('Verified with the secret')
    expect(text).toContain('webhook-signature')
    expect(text).toMatch(/status\s+accepted\s+driver_assigned/)
    expect(await page.locator('pre.body').textContent()).toContain('"eventType": "delivery.driver_assigned"')
    await page.getByRole('button', { name: 'Raw', exact: true }).click()
    expect(await page.locator('pre.body').textContent()).toContain('"eventType":"delivery.driver_assigned"')
    await page.getByRole('link', { name: 'delivery.accepted' }).click()
    await page.getByRole('heading', { level: 1, name: 'delivery.accepted' }).waitFor()
    isClean()
  })

  it('masks names and phones, in the raw body too, until they are asked for', async () => {
    const { eventId } = await receivedEvent('MASKED-1', '--set', 'dropoff.contactName=Dana Whitfield')
    const { page, isClean } = await openEvent(eventId)
    for (const button of ['Raw', 'Pretty']) {
      await page.getByRole('button', { name: button, exact: true }).click()
      expect(await page.content()).not.toMatch(/Whitfield|\+1910555/)
    }
    const show = page.getByRole('button', { name: 'Show names and phones' })
    // On a phone, on one line with what else can be done.
    await page.setViewportSize({ width: 360, height: 800 })
    expect((await show.boundingBox())?.y).toBe(
      (await page.getByRole('button', { name: 'Send again' }).boundingBox())?.y,
    )
    await show.click()
    await page.getByText('Dana Whitfield').first().waitFor()
    isClean()
  })

  it('keeps quotes and commas of the body in their places around text from right to left', async () => {
    // The last one turns the direction of what follows it.
    for (const [reference, text] of [
      ['TURNED-1', 'דירה 4'],
      ['TURNED-2', 'left \u202ethgir'],
    ] as const) {
      const { eventId } = await receivedEvent(reference, '--set', `dropoff.instructions=${text}`)
      const { page, isClean } = await openEvent(eventId)
      await page.locator('pre.body bdi').waitFor()
      expect(await page.locator('pre.body').textContent()).toContain(`"instructions": "${text}"`)
      // What follows the text on its line is drawn to its right.
      const [inside, after] = await page.evaluate<[number, number]>(`(() => {
        const text = document.querySelector('pre.body bdi')
        const range = document.createRange()
        range.setStart(text.nextSibling, 0)
        range.setEnd(text.nextSibling, 1)
        return [text.getBoundingClientRect().right, range.getBoundingClientRect().left]
      })()`)
      expect(after, reference).toBeGreaterThanOrEqual(Math.floor(inside))
      isClean()
    }
  })

  it('is sent again by the service, as sandbox resend does', async () => {
    const { eventId } = await receivedEvent('AGAIN-1')
    const attempts = () => served.cli.json<Attempt[]>(['sandbox', 'attempts', eventId])
    expect(await attempts()).toHaveLength(1)
    const { page, isClean } = await openEvent(eventId)
    const button = page.getByRole('button', { name: 'Send again' })
    await button.focus()
    expect(await page.locator('.command code').textContent()).toContain(`dlv sandbox resend ${eventId}`)
    await page.keyboard.press('Enter')
    await expect.poll(() => status(page).textContent()).toContain('Sent again')
    expect(await attempts()).toMatchObject([{ attempt: 1 }, { attempt: 2, statusCode: 200 }])
    await page.getByText('It came 2 times.').waitFor()
    isClean()
  })

  it('is edited, signed again and sent to any target, with what stayed masked as it was', async () => {
    const receiver = await startTestReceiver()
    const { eventId } = await receivedEvent('EDITED-1', '--set', 'dropoff.contactName=Dana Whitfield')
    const { page, isClean } = await openEvent(eventId)
    await page.getByRole('button', { name: 'Edit and send' }).click()
    const body = page.getByLabel('Body', { exact: true })
    const text = await body.inputValue()
    expect(text).not.toContain('Whitfield')
    const otherId = `${eventId}X`
    await body.fill(text.replaceAll(eventId, otherId).replace('"EDITED-1"', '"EDITED-2"'))
    await page.getByLabel('Target').fill(receiver.url)
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await expect.poll(() => receiver.received.length).toBe(1)
    const [received] = receiver.received
    expect(received?.event).toMatchObject({
      eventId: otherId,
      delivery: { clientOrderReference: 'EDITED-2', dropoff: { contactName: 'Dana Whitfield' } },
    })
    const [secret = ''] = (await served.cli.json<{ secrets: string[] }>(['sandbox', 'rotate-secret', '--show'])).secrets
    const { verify } = await import('../../src/webhooks/index.js')
    expect(
      verify({ secrets: [secret], headers: received?.headers ?? {}, body: received?.body ?? Buffer.of() }).ok,
    ).toBe(true)
    await expect.poll(() => status(page).textContent()).toContain(`Sent to ${receiver.url}: 204`)
    isClean()
  })

  it('goes to the new event when its changed copy was sent to the listener', async () => {
    const { eventId } = await receivedEvent('COPIED-1')
    const { page, isClean } = await openEvent(eventId)
    await page.getByRole('button', { name: 'Edit and send' }).click()
    const body = page.getByLabel('Body', { exact: true })
    await body.fill((await body.inputValue()).replaceAll(eventId, `${eventId}Y`))
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.waitForURL(`**/ui/events/${eventId}Y**`)
    await page.getByRole('heading', { level: 1, name: 'delivery.accepted' }).waitFor()
    await page.getByText('Verified with the secret').waitFor()
    isClean()
  })

  it('says in the dialog why nothing was sent', async () => {
    const { eventId } = await receivedEvent('REFUSED-1')
    const { page } = await openEvent(eventId)
    await page.getByRole('button', { name: 'Edit and send' }).click()
    await page.getByLabel('Target').fill('http://127.0.0.1:9/')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByRole('dialog').getByRole('alert').filter({ hasText: 'did not answer' }).waitFor()
    await page.getByLabel('Body', { exact: true }).fill('{')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByRole('dialog').getByRole('alert').filter({ hasText: 'not JSON' }).waitFor()
  })

  it('is copied in each format, as webhooks log prints it', async () => {
    const { eventId } = await receivedEvent('COPY-1')
    const { page } = await openEvent(eventId)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    for (const [name, format] of [
      ['curl', 'curl'],
      ['HAR', 'har'],
      ['raw HTTP', 'http'],
      ['fixture', 'fixture'],
      ['vitest case', 'vitest'],
    ] as const) {
      await page.getByRole('button', { name: `Copy as ${name}` }).click()
      await expect.poll(() => status(page).textContent()).toContain(`Copied as ${name}`)
      const copied = await page.evaluate<string>('navigator.clipboard.readText()')
      const printed = (await served.cli.run(['webhooks', 'log', eventId, '--as', format])).stdout
      expect(copied.replaceAll('\r\n', '\n')).toBe(printed.replaceAll('\r\n', '\n'))
    }
  })

  it('says why the listener turned it away', async () => {
    const { deliveryId } = await create('BADSIG-1', '--set', 'metadata.sandbox_hooks=badsig')
    const [event] = await eventsOf(deliveryId)
    const { page, isClean } = await openEvent(event?.eventId ?? '')
    await page.getByText('no_matching_signature').first().waitFor()
    await page.getByText('No signature fits').first().waitFor()
    isClean()
  })

  it('shows a hostile order as text', async () => {
    const { eventId } = await receivedEvent('HOSTILE-1', '--set', `dropoff.instructions=${hostile}`)
    const { page, isClean } = await openEvent(eventId)
    await page.locator('pre.body').getByText('<script>alert(1)').waitFor()
    expect(await page.locator('main script, main img').count()).toBe(0)
    isClean()
  })

  it('has nothing that axe finds wrong, in either theme', async () => {
    const { eventId } = await receivedEvent('AXE-1')
    const { page } = await openEvent(eventId)
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await axeViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'Edit and send' }).click()
    expect(await axeViolations(page)).toEqual([])
  })
})
