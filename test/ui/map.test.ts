import { beforeAll, expect, it } from 'vitest'
import type { Delivery } from '../../src/contract/index.js'
import type { Board } from '../../src/ui/wire/deliveries.js'
import { axeViolations, describeInBrowser, expectFit, screenUrl } from '../support/ui/browser.js'
import { type Served, serveUi } from '../support/ui/inspector.js'

describeInBrowser('The map of deliveries', (open) => {
  let served: Served
  const create = (reference: string, ...words: string[]) =>
    served.cli.json<Delivery>(['deliveries', 'create', '--file', 'examples/order.json', '--ref', reference, ...words])
  const address = ['city=Killeen', 'state=TX', 'postalCode="76543"'].flatMap((part) => [
    '--set',
    `dropoff.address.${part}`,
  ])
  const inTexas = ['--store', 'STORE-002', ...address]
  beforeAll(async () => {
    served = await serveUi('file')
    return served.close
  })

  it('leads by the keyboard alone from the country over a market to a cancelled delivery', async () => {
    const { deliveryId } = await create('MAP-1')
    await create('MAP-2', ...inTexas)
    const { page, isClean } = await open(screenUrl(served.url, '/deliveries'))
    const { keyboard } = page
    const tabTo = async (name: RegExp) => {
      for (let tabs = 0; tabs < 40; tabs++) {
        const focused = 'document.activeElement'
        const text = await page.evaluate<string>(`${focused}.getAttribute('aria-label') ?? ${focused}.textContent`)
        if (name.test(text)) return
        await keyboard.press('Tab')
      }
      throw new Error(`No Tab leads to ${name}.`)
    }
    await page.getByText('MAP-1').waitFor()
    await tabTo(/^Map$/)
    await keyboard.press('Enter')
    await page.getByRole('group', { name: 'Map of the United States with 2 markets' }).waitFor()
    expect(await axeViolations(page)).toEqual([])
    await expectFit(page, [360, 900, 1440])
    await tabTo(/^STORE-001 1 under way$/)
    await keyboard.press('Enter')
    await page.getByRole('img', { name: 'Drawing of STORE-001 with 1 under way' }).waitFor()
    expect(new URL(page.url()).searchParams.get('market')).toBe('STORE-001')
    await tabTo(/^MAP-1/)
    await expect.poll(() => page.locator('.trip.lit title').textContent()).toBe('MAP-1')
    expect(await axeViolations(page)).toEqual([])
    await expectFit(page, [360, 900, 1440])
    await keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'MAP-1' }).waitFor()
    await page.getByRole('button', { name: 'Cancel', exact: true }).waitFor()
    await keyboard.press('c')
    await tabTo(/^Cancel the delivery$/)
    await keyboard.press('Enter')
    await expect
      .poll(async () => (await served.cli.json<Delivery>(['deliveries', 'get', deliveryId])).status)
      .toBe('cancelled')
    isClean()
  })

  it('moves drivers without a reload, and shows late deliveries in red with their minutes', async () => {
    const { deliveryId } = await create('MOVES-1', ...inTexas, '--set', 'metadata.sandbox_pace=real')
    const { page, isClean } = await open(screenUrl(served.url, '/deliveries?view=map&market=STORE-002'))
    const isOnTheWay = async () => {
      await served.cli.json(['sandbox', 'clock', 'advance', '1m'])
      const { status } = await served.cli.json<Delivery>(['deliveries', 'get', deliveryId])
      return status.startsWith('driver_enroute')
    }
    for (let minutes = 0; !(await isOnTheWay()) && minutes < 20; minutes++);
    const driver = page.locator('.trip .market-driver')
    const place = () => driver.evaluate((circle) => `${circle.getAttribute('cx')} ${circle.getAttribute('cy')}`)
    const before = await place()
    await served.cli.json(['sandbox', 'clock', 'advance', '2m'])
    await expect.poll(place).not.toBe(before)
    const points = () => page.locator('.trip path').first().getAttribute('d')
    expect((await points())?.split('L').length).toBeGreaterThan(1)
    isClean()
  })

  it('counts what is under way, also behind hundreds of newer deliveries and with few requests a second', async () => {
    const { read } = await serveUi('test', {
      command: ['sandbox', 'start', '--ui', '--rate-limit', '6', '-o', 'json'],
      before: async (cli) => {
        await cli.json(['deliveries', 'create', '--file', 'examples/order.json', '--ref', 'OLDEST-1'])
        await cli.json(['sandbox', 'seed', '--count', '700'])
      },
    })
    const { deliveries, isCut } = await read<Board>('/deliveries')
    expect(isCut).toBe(true)
    expect(deliveries.map(({ reference }) => reference)).toContain('OLDEST-1')
    expect(new Set(deliveries.map(({ deliveryId }) => deliveryId)).size).toBe(deliveries.length)
  })
})
