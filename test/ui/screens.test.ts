import { beforeAll, expect, it } from 'vitest'
import { axeViolations, describeInBrowser, expectFit, screenUrl, show } from '../support/ui/browser.js'
import { type Served, serveUi } from '../support/ui/inspector.js'

const screens = [
  ['/live', 'Live'],
  ['/deliveries', 'Deliveries'],
  ['/webhooks', 'Webhooks'],
  ['/installations', 'Installations'],
  ['/time', 'Time and faults'],
  ['/report', 'Report'],
] as const

/** How many panels and drawings lie on others. */
const overlaps = `(() => {
  const boxes = [...document.querySelectorAll('main .panel, main .delivery-map')].map((one) => one.getBoundingClientRect())
  const isOver = (one, other) =>
    one.left < other.right - 1 && other.left < one.right - 1 && one.top < other.bottom - 1 && other.top < one.bottom - 1
  return boxes.filter((one, index) => boxes.slice(index + 1).some((other) => isOver(one, other))).length
})()`

/** How far what was shown has moved by itself since the page was opened, as browsers measure it. */
const shifted = `new Promise((resolve) => {
  let sum = 0
  const observer = new PerformanceObserver((list) => {
    for (const { entryType, value } of list.getEntries()) if (entryType === 'layout-shift') sum += value
    if (list.getEntriesByType('navigation').length > 0) resolve(sum)
  })
  for (const type of ['layout-shift', 'navigation']) observer.observe({ type, buffered: true })
})`

describeInBrowser('The page', (open) => {
  let served: Served
  let deliveryId = ''
  beforeAll(async () => {
    served = await serveUi('file', {
      before: async (cli) => {
        await cli.json(['sandbox', 'seed', '--over', '1d', '--seed', '3'])
        await cli.json(['deliveries', 'create', '--file', 'examples/order.json', '--ref', 'HELD-1'])
      },
    })
    const found = await served.cli.json<{ deliveryId: string }[]>(['deliveries', 'list', '--ref', 'HELD-1'])
    deliveryId = found[0]?.deliveryId ?? ''
    return served.close
  })

  it('has a link for each screen, whose heading has the same name, and an address for each', async () => {
    const { page, isClean } = await open(served.url)
    for (const [path, name] of screens) {
      await page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
      await page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
      expect(new URL(page.url()).pathname).toBe(`/ui${path}`)
      expect(new URL(page.url()).hash).toBe(`#token=${served.token}`)
      expect(await page.title()).toBe(`${name} · dlv`)
    }
    await page.goBack()
    await page.getByRole('heading', { level: 1, name: 'Time and faults', exact: true }).waitFor()
    isClean()
  })

  it('has nothing that axe finds wrong, in either theme', async () => {
    const { page, isClean } = await open(screenUrl(served.url, '/deliveries'))
    await page.getByRole('link', { name: 'HELD-1' }).waitFor()
    expect(await axeViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'New order' }).click()
    await page.getByLabel('clientOrderReference').waitFor()
    expect(await axeViolations(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'HELD-1' }).click()
    await page.getByRole('heading', { level: 1, name: 'HELD-1' }).waitFor()
    expect(await axeViolations(page)).toEqual([])
    for (const [key, name] of [
      ['?', 'Keys'],
      ['Control+k', 'Palette'],
    ] as const) {
      await page.keyboard.press(key)
      await page.getByRole('dialog', { name }).waitFor()
      expect(await axeViolations(page)).toEqual([])
      await page.keyboard.press('Escape')
      await page.getByRole('dialog', { name }).waitFor({ state: 'hidden' })
    }
    // A key that comes before the page hears that the dialog was closed.
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    await page.evaluate(`document.querySelector('dialog').close()
      document.dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true }))`)
    await page.getByRole('dialog', { name: 'Palette' }).waitFor()
    await page.evaluate('new Promise((done) => setTimeout(done))')
    expect(await page.getByRole('dialog', { name: 'Palette' }).isVisible()).toBe(true)
    // The same one, opened again before the page hears that it was closed.
    await page.evaluate(`document.querySelector('dialog').close()
      document.dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true }))`)
    await page.getByRole('dialog', { name: 'Palette' }).waitFor()
    await page.evaluate('new Promise((done) => setTimeout(done))')
    expect(await page.getByRole('dialog', { name: 'Palette' }).isVisible()).toBe(true)
    // A key that comes before the field of a closed dialog has lost the focus.
    await page.evaluate(`{
      const field = document.querySelector('dialog input')
      document.querySelector('dialog').close()
      field.dispatchEvent(new KeyboardEvent('keydown', { key: '?', bubbles: true }))
    }`)
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Cancel', exact: true }).click()
    expect(await axeViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'Keep it' }).click()
    await page.getByRole('navigation').getByRole('link', { name: 'Live', exact: true }).click()
    await page.locator('table.lines tbody tr').first().waitFor()
    expect(await axeViolations(page)).toEqual([])
    await page.goto(screenUrl(served.url, '/somewhere'))
    await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor()
    expect(await axeViolations(page)).toEqual([])
    isClean()
  })

  it('fits every width from 360 pixels to 4K', async () => {
    const { page } = await open(served.url)
    for (const path of ['/live', '/deliveries', `/deliveries/${deliveryId}`]) {
      await show(page, screenUrl(served.url, path))
      await page.locator('table, .board').first().waitFor()
      await expectFit(page, [360, 390, 900, 1440, 3840], async (where) => {
        expect(await page.evaluate<number>(overlaps), where).toBe(0)
      })
    }
  })

  it('moves nothing that is shown while it reads the rest', async () => {
    const { page } = await open(served.url)
    await page.setViewportSize({ width: 900, height: 900 })
    for (const [path, shown] of [
      ['/deliveries', '.card'],
      ['/deliveries?view=map', '.country .mark'],
      ['/deliveries?view=list', '.list td a'],
      ['/installations', '.country .mark'],
      ['/report', 'iframe'],
    ] as const) {
      await page.goto('about:blank')
      await page.goto(screenUrl(served.url, path))
      await page.locator(shown).first().waitFor()
      expect(await page.evaluate<number>(shifted), path).toBeLessThan(0.1)
    }
  })

  it('keeps the input of the palette in its place while fewer are found', async () => {
    const { page } = await open(screenUrl(served.url, '/live'))
    await page.keyboard.press('Control+k')
    const input = page.getByRole('combobox', { name: 'Go to' })
    const before = await input.boundingBox()
    await page.keyboard.type('zzz')
    await page.getByText('Nothing has these letters.').waitFor()
    expect((await input.boundingBox())?.y).toBe(before?.y)
    await page.keyboard.press('Escape')
  })

  it('goes wherever the palette is told to', async () => {
    const { page, isClean } = await open(screenUrl(served.url, '/live'))
    await page.getByText('HELD-1').first().waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('held')
    await page.getByRole('option', { name: /HELD-1/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'HELD-1' }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('w')
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor()
    isClean()
  })

  it('keeps what is searched for in the address, and finds again what it was', async () => {
    const { page, isClean } = await open(screenUrl(served.url, '/live'))
    await page.keyboard.press('/')
    await page.keyboard.type('accepted HELD-1')
    await page.waitForURL(/q=accepted\+HELD-1/)
    await expect.poll(() => page.locator('table.lines tbody tr').count()).toBe(1)
    await page.reload()
    await expect.poll(() => page.locator('table.lines tbody tr').count()).toBe(1)
    expect(await page.getByRole('searchbox', { name: 'Search' }).inputValue()).toBe('accepted HELD-1')
    isClean()
  })

  it('holds the stream while it is paused', async () => {
    const { page } = await open(screenUrl(served.url, '/live?q=PAUSED'))
    await page.getByText('No line matches.').waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    await served.cli.json(['deliveries', 'create', '--file', 'examples/order.json', '--ref', 'PAUSED-1'])
    await page.getByText(/new lines?$/).waitFor()
    expect(await page.locator('table.lines').count()).toBe(0)
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByRole('link', { name: 'PAUSED-1' }).first().waitFor()
  })

  it('tells what became of an event in one row, opened by Enter, and what a request caused', async () => {
    const { page, isClean } = await open(screenUrl(served.url, '/live?q=CHAIN'))
    await page.getByText('No line matches.').waitFor()
    await served.cli.json(['deliveries', 'create', '--file', 'examples/order.json', '--ref', 'CHAIN-1'])
    await served.cli.json(['sandbox', 'clock', 'advance', '2h'])
    await served.cli.json(['deliveries', 'create', '--file', 'examples/order.json', '--ref', 'CHAIN-2'])
    const rows = page.locator('table.lines tbody tr')
    const chains = rows.getByRole('button', { name: /sent 200.*→ .*verified/ })
    await expect.poll(() => chains.count()).toBe(2)
    const references = await rows.locator('td.order').allTextContents()
    expect(references.toSorted().reverse()).toEqual(references)
    await chains.first().focus()
    await page.keyboard.press('Enter')
    const steps = page.locator('.steps li')
    expect((await steps.allTextContents()).map((text) => /event|attempt|webhook/.exec(text)?.[0])).toEqual([
      'event',
      'attempt',
      'webhook',
    ])
    expect(await axeViolations(page)).toEqual([])
    await page.keyboard.press('Enter')
    await expect.poll(() => steps.count()).toBe(0)
    isClean()
  })

  it('tells a second tab what the first one reads', async () => {
    const { page } = await open(screenUrl(served.url, '/live?q=TABS'))
    await page.getByText('No line matches.').waitFor()
    const second = await page.context().newPage()
    const streams: string[] = []
    second.on('request', (request) => streams.push(request.url()))
    await second.goto(screenUrl(served.url, '/live?q=TABS'))
    await second.getByText('No line matches.').waitFor()
    await served.cli.json(['deliveries', 'create', '--file', 'examples/order.json', '--ref', 'TABS-1'])
    await second.getByRole('link', { name: 'TABS-1' }).first().waitFor()
    await page.getByRole('link', { name: 'TABS-1' }).first().waitFor()
    expect(streams.filter((url) => url.endsWith('/ui/stream'))).toEqual([])
    // When the first one closes, the second one reads the stream itself.
    await page.close()
    await served.cli.json(['deliveries', 'create', '--file', 'examples/order.json', '--ref', 'TABS-2'])
    await second.getByRole('link', { name: 'TABS-2' }).first().waitFor()
    expect(streams.filter((url) => url.endsWith('/ui/stream'))).toHaveLength(1)
  })

  it('says what is missing where the address has no token', async () => {
    const { page } = await open(served.url.split('#')[0] ?? '')
    await page.getByRole('heading', { name: 'This address has no token' }).waitFor()
  })
})
