import { beforeAll, expect, it } from 'vitest'
import type { Delivery } from '../../src/contract/index.js'
import { describeInBrowser, screenUrl } from '../support/ui/browser.js'
import { type Served, serveUi } from '../support/ui/inspector.js'

interface Attempt {
  eventId: string
  attempt: number
}

describeInBrowser('The keyboard alone', (open) => {
  let served: Served
  beforeAll(async () => {
    served = await serveUi('file')
    return served.close
  })

  it('leads from a new order to a webhook that is sent again', async () => {
    const { page, isClean } = await open(screenUrl(served.url, '/live'))
    const { keyboard } = page
    const focused = () => page.evaluate<string>('document.activeElement.textContent')
    const status = () => page.getByRole('status').textContent()
    await keyboard.press('g')
    await keyboard.press('d')
    await page.getByRole('button', { name: 'New order' }).waitFor()
    await keyboard.press('n')
    await expect
      .poll(() => page.evaluate<string>('document.activeElement.labels?.[0].textContent ?? ""'))
      .toBe('clientOrderReference')
    await keyboard.press('Control+a')
    await keyboard.type('KEYS-1')
    await keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'KEYS-1' }).waitFor()
    await page.getByRole('button', { name: 'Advance to driver_assigned' }).waitFor()
    await keyboard.press('a')
    await expect.poll(status).toContain('Advanced to driver_assigned')
    await keyboard.press('Control+k')
    await keyboard.type('advance to delivered')
    await page
      .getByRole('option', { name: /delivered/ })
      .first()
      .waitFor()
    await keyboard.press('Enter')
    await expect.poll(status).toContain('Advanced to delivered')
    const [found] = await served.cli.json<Delivery[]>(['deliveries', 'list', '--ref', 'KEYS-1'])
    expect(found?.status).toBe('delivered')
    await page.getByRole('link', { name: 'delivery.delivered' }).waitFor()
    await keyboard.press('e')
    await page.getByRole('heading', { level: 1, name: 'delivery.delivered' }).waitFor()
    const eventId = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    const attempts = () => served.cli.json<Attempt[]>(['sandbox', 'attempts', eventId])
    await expect.poll(async () => (await attempts()).length).toBe(1)
    const button = page.getByRole('button', { name: 'Send again' })
    await button.waitFor()
    for (let tabs = 0; tabs < 30; tabs++) {
      if ((await focused()) === 'Send again') break
      await keyboard.press('Tab')
    }
    await page.getByText(`dlv sandbox resend ${eventId}`).waitFor()
    await keyboard.press('Enter')
    await expect.poll(async () => (await attempts()).length).toBe(2)
    await expect.poll(status).not.toBe('')
    await keyboard.press('s')
    await expect.poll(async () => (await attempts()).length).toBe(3)
    isClean()
  })

  it('leads from the installations over a policy change to a cancelled delivery', async () => {
    const place = ['--set', 'dropoff.installation.code=ZZOK']
    const words = ['deliveries', 'create', '--file', 'examples/order.json', '--ref', 'KEYS-2', ...place]
    const { deliveryId } = await served.cli.json<Delivery>(words)
    await served.cli.json(['sandbox', 'policy', 'ZZOK', '--set', 'fpconLevel=bravo'])
    const { page, isClean } = await open(screenUrl(served.url, '/live'))
    const { keyboard } = page
    const tabTo = async (name: string) => {
      for (let tabs = 0; tabs < 30; tabs++) {
        const focused = 'document.activeElement'
        if ((await page.evaluate(`${focused}.getAttribute('aria-label') ?? ${focused}.textContent`)) === name) return
        await keyboard.press('Tab')
      }
      throw new Error(`No Tab leads to ${name}.`)
    }
    await keyboard.press('g')
    await keyboard.press('i')
    await page.getByRole('group', { name: /^Map of the United States/ }).waitFor()
    await keyboard.press('v')
    await page.getByRole('button', { name: 'Cancel, no fee: KEYS-2' }).waitFor()
    await tabTo('Cancel, no fee: KEYS-2')
    await page.getByText(`$ dlv deliveries cancel ${deliveryId}`).waitFor()
    await keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Cancel KEYS-2?' }).waitFor()
    await tabTo('Cancel the delivery')
    await keyboard.press('Enter')
    await expect.poll(() => page.getByRole('status').textContent()).toContain('The delivery is cancelled.')
    expect((await served.cli.json<Delivery>(['deliveries', 'get', deliveryId])).status).toBe('cancelled')
    await page.getByText('no delivery is under way there').waitFor()
    isClean()
  })

  it('gives the focus back where a dialog was opened', async () => {
    const { page, isClean } = await open(screenUrl(served.url, '/deliveries'))
    const button = page.getByRole('button', { name: 'New order' })
    await button.focus()
    await page.keyboard.press('Enter')
    await page.getByLabel('clientOrderReference').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    expect(await page.evaluate<string>('document.activeElement.textContent')).toBe('New order')
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).getByText('New order').waitFor()
    isClean()
  })
})
