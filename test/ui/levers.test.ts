import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import type { Delivery, Installation } from '../../src/contract/index.js'
import { axeViolations, describeInBrowser, expectFit, screenUrl, show } from '../support/ui/browser.js'
import { type Served, serveUi } from '../support/ui/inspector.js'

describeInBrowser('Installations, time and report in the browser', (open) => {
  let served: Served
  beforeAll(async () => {
    served = await serveUi('file', {
      before: async (cli) => {
        await cli.json(['sandbox', 'seed', '--over', '2d', '--seed', '5'])
        // Only who delivers to an installation is told of its changes.
        const gate = ['--ref', 'GATE-1', '--set', 'dropoff.installation.code=FTBRAGG']
        await cli.json(['deliveries', 'create', '--file', 'examples/order.json', ...gate])
      },
    })
    return served.close
  })
  const status = (page: Page) => page.getByRole('status')
  const control = <Value>(...words: string[]) => served.cli.json<Value>(['sandbox', ...words])
  const read = (code: string) => served.cli.json<Installation>(['installations', 'get', code])

  it('has the country with every installation, from a file of its own', async () => {
    const { page, isClean } = await open(served.url)
    const maps: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('map')) maps.push(new URL(request.url()).pathname)
    })
    await page.getByRole('navigation').getByRole('link', { name: 'Installations' }).click()
    const map = page.getByRole('group', { name: /^Map of the United States/ })
    await map.waitFor()
    expect(maps).toHaveLength(1)
    const { installations } = await served.read<{ installations: Installation[] }>('/installations')
    expect(installations.length).toBeGreaterThan(50)
    const labels = await map
      .locator('[aria-label]')
      .evaluateAll((all) => all.map((one) => (one.getAttribute('aria-label') ?? '').replace(/:.*/, '')))
    for (const { code } of installations)
      expect(
        labels.filter((label) => label === code),
        code,
      ).toHaveLength(1)
    const box = await map.boundingBox()
    expect(box?.width).toBeGreaterThan(200)
    expect(box?.height).toBeGreaterThan(100)
    await page.setViewportSize({ width: 360, height: 800 })
    expect((await map.boundingBox())?.width).toBeGreaterThan(200)
    isClean()
  })

  it('opens an installation with its gates, and saves a policy by the fields of the wire', async () => {
    const { page, isClean } = await open(screenUrl(served.url, '/installations'))
    await page
      .getByRole('link', { name: /FTBRAGG/ })
      .last()
      .click()
    await page.getByText('Knox Street Truck Plaza').waitFor()
    await page.getByText('(America/New_York)').first().waitFor()
    await page.getByLabel('fpconLevel').selectOption('charlie')
    await page.getByLabel('acceptingDeliveries').selectOption('false')
    await page.getByLabel('prohibitedCargo').fill('alcohol, controlled_cargo')
    const save = page.getByRole('button', { name: 'Save policy' })
    await save.focus()
    expect(await page.locator('.command code').textContent()).toContain(
      'dlv sandbox policy FTBRAGG --set acceptingDeliveries=false --set fpconLevel=charlie',
    )
    await save.click()
    await expect.poll(() => status(page).textContent()).toContain('Saved the policy of FTBRAGG')
    expect(await read('FTBRAGG')).toMatchObject({
      fpconLevel: 'charlie',
      acceptingDeliveries: false,
      prohibitedCargo: ['alcohol', 'controlled_cargo'],
    })
    await page.getByText('closed to deliveries').waitFor()
    isClean()
  })

  it('changes the hours of a gate, and says at its field what is wrong with them', async () => {
    const { page } = await open(screenUrl(served.url, '/installations?code=FTBRAGG'))
    const field = page.getByLabel('gates.1.hours')
    await expect.poll(() => field.inputValue()).toBe('Mon-Fri 05:00-21:00; Sat-Sun 05:00-13:00')
    const save = page.getByRole('button', { name: 'Save policy' })
    await field.fill('when it rains')
    await save.click()
    await page.getByText(/^must be hours such as/).waitFor()
    await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true')
    await field.fill('Mon-Fri 08:00-16:00; PH off')
    await save.focus()
    const shown = await page.locator('.command code').textContent()
    expect(shown).toContain("dlv sandbox policy FTBRAGG --set 'gates.1.hours=Mon-Fri 08:00-16:00; PH off'")
    await save.click()
    await page.getByRole('status').filter({ hasText: 'Saved the policy of FTBRAGG: gates' }).waitFor()
    expect((await read('FTBRAGG')).gates?.map(({ hours }) => hours)).toEqual([
      '24/7',
      'Mon-Fri 08:00-16:00; PH off',
      '24/7',
    ])
    await control('policy', 'FTBRAGG', '--set', 'gates.1.hours=24/7')
    await page.getByText('always open').nth(2).waitFor()
  })

  it('lists what a policy change touches, order by order, and does with each what can be done', async () => {
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
    const create = (reference: string, ...sets: string[]) =>
      served.cli.json<Delivery>([
        ...['deliveries', 'create', '--file', 'examples/order.json', '--ref', reference],
        ...['dropoff.installation.code=ZZOK', 'dropoff.installation.gate=Main Gate', ...sets].flatMap((set) => [
          '--set',
          set,
        ]),
      ])
    const windows = ['timeWindows.deliveryMode=scheduled', `timeWindows.dropoff.start=${tomorrow}T18:00:00Z`]
    const inWindow = [...windows, `timeWindows.dropoff.end=${tomorrow}T20:00:00Z`]
    const hostile = '<img src=x onerror=alert(1)>'
    const [moved, cancelled] = [await create('TOUCHED-1', ...inWindow), await create('TOUCHED-2', ...inWindow)]
    await create(hostile, ...inWindow)
    const driven = await create('TOUCHED-4', 'metadata.sandbox_pace=real')
    await served.cli.json(['simulate', driven.deliveryId, '--to', 'driver_enroute_to_dropoff'])
    await control('policy', 'ZZOK', '--set', 'gates.1.commercialVehiclesPermitted=true')
    await control('policy', 'ZZOK', '--set', 'gates.0.hours=closed')
    const { page, isClean } = await open(screenUrl(served.url, '/installations?view=changes&code=ZZOK'))
    const change = page.locator('.panel')
    await change.nth(1).getByText('touches none of 4 deliveries under way').waitFor()
    await change.nth(0).getByText('touches 4 of 4 deliveries under way').waitFor()
    const row = (reference: string) => page.getByRole('row').filter({ hasText: reference })
    const why =
      /gate "Main Gate" is closed throughout its window, \w{3} 1[34]:00 to 1[56]:00 there; it opens never again/
    for (const reference of ['TOUCHED-1', 'TOUCHED-2', hostile]) await row(reference).getByText(why).waitFor()
    await row('TOUCHED-4')
      .getByText(/is closed at its ETA/)
      .waitFor()
    await row('TOUCHED-1').getByText('18:00–20:00').waitFor()
    expect(await page.locator('img').count()).toBe(0)
    expect(await axeViolations(page)).toEqual([])
    await expectFit(page, [360, 900, 1440])
    // The terminal says the same.
    const event = (await change.nth(0).getByRole('link', { name: 'gates' }).getAttribute('href')) ?? ''
    const eventId = /evt_\w+/.exec(event)?.[0] ?? ''
    const listed = await served.cli.json<(Delivery & { obstacle: string })[]>([
      'deliveries',
      'list',
      '--affected',
      eventId,
    ])
    expect(listed.map(({ obstacle }) => obstacle)).toEqual(
      Array(4).fill(expect.stringContaining('"Main Gate" is closed')),
    )

    const remedy = (label: string, reference: string) => page.getByRole('button', { name: `${label}: ${reference}` })
    const done = (text: string | RegExp) => page.getByRole('status').filter({ hasText: text }).waitFor()
    const get = (deliveryId: string) => served.cli.json<Delivery>(['deliveries', 'get', deliveryId])
    await remedy('Choose another gate', 'TOUCHED-1').focus()
    await page
      .getByText(`$ dlv deliveries update ${moved.deliveryId} --set 'dropoff.installation.gate=Visitor Gate'`)
      .waitFor()
    await remedy('Choose another gate', 'TOUCHED-1').click()
    expect(await page.getByLabel('dropoff.installation.gate').inputValue()).toBe('Visitor Gate')
    expect(await axeViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'Save' }).click()
    await done('Saved. The delivery is scheduled.')
    expect((await get(moved.deliveryId)).dropoff?.installation).toEqual({ code: 'ZZOK', gate: 'Visitor Gate' })
    await expect.poll(() => row('TOUCHED-1').count()).toBe(0)

    await remedy('Change the instructions', 'TOUCHED-4').click()
    await page.getByLabel('dropoff.instructions').fill('Use the Visitor Gate.')
    await page.getByRole('button', { name: 'Save' }).click()
    await done('Saved. The delivery is driver_enroute_to_dropoff.')
    expect((await get(driven.deliveryId)).dropoff?.instructions).toBe('Use the Visitor Gate.')

    await remedy('Check again', 'TOUCHED-2').click()
    await done('TOUCHED-2 cannot be served at ZZOK: The gate is closed: "Main Gate".')
    await remedy('Contact', 'TOUCHED-2').click()
    await page.getByRole('dialog').getByText('Dana Whitfield, +19105550147').waitFor()
    await page.keyboard.press('Escape')

    await remedy('Cancel, no fee', 'TOUCHED-2').click()
    await page.getByText('Cancellation fee now: none.').waitFor()
    await page.getByRole('button', { name: 'Cancel the delivery' }).click()
    await done('The delivery is cancelled. No fee.')
    expect((await get(cancelled.deliveryId)).status).toBe('cancelled')
    await expect.poll(() => row('TOUCHED-2').count()).toBe(0)
    await change.nth(0).getByText('touches 2 of 3 deliveries under way').waitFor()
    isClean()
  })

  it('checks whether a stop can be served', async () => {
    const { page, isClean } = await open(screenUrl(served.url, '/installations?code=FTDRUM'))
    await page.getByLabel('package.contains').fill('controlled_cargo')
    await page.getByRole('button', { name: 'Check serviceability' }).click()
    await expect.poll(() => status(page).textContent()).toMatch(/FTDRUM can(?:not)? be served/)
    isClean()
  })

  const openTime = async () => {
    const opened = await open(screenUrl(served.url, '/time'))
    await opened.page.getByRole('button', { name: 'Advance clock' }).waitFor()
    return opened
  }

  it('advances the clock, and what falls due happens', async () => {
    const { deliveryId } = await served.cli.json<Delivery>([
      ...['deliveries', 'create', '--file', 'examples/order.json', '--ref', 'DUE-1'],
      ...['--set', 'metadata.sandbox_pace=real'],
    ])
    const before = Date.parse((await control<{ now: string }>('clock')).now)
    const { page, isClean } = await openTime()
    await page.getByRole('link', { name: 'DUE-1' }).waitFor()
    await page.getByLabel('Advance by').fill('3h')
    const button = page.getByRole('button', { name: 'Advance clock' })
    await button.focus()
    expect(await page.locator('.command code').textContent()).toContain('dlv sandbox clock advance 3h')
    await button.click()
    await page.getByRole('status').filter({ hasText: 'The clock is at' }).waitFor()
    const after = Date.parse((await control<{ now: string }>('clock')).now)
    expect(after - before).toBeGreaterThanOrEqual(3 * 3_600_000)
    expect(await served.cli.json<Delivery>(['deliveries', 'get', deliveryId])).toMatchObject({ status: 'delivered' })
    isClean()
  })

  it('says why a clock cannot be moved', async () => {
    const { page } = await openTime()
    await page.getByLabel('Advance by').fill('soon')
    await page.getByRole('button', { name: 'Advance clock' }).click()
    await page
      .getByRole('alert')
      .filter({ hasText: /duration/ })
      .waitFor()
  })

  it('begins and ends an outage at once', async () => {
    const { page, isClean } = await openTime()
    // The box follows the sandbox, so that it may not be checked at once.
    const box = page.getByLabel('Outage', { exact: true })
    await box.click()
    await expect.poll(async () => (await control<{ outage: boolean }>('faults')).outage).toBe(true)
    await expect.poll(() => status(page).textContent()).toContain('Outage')
    await expect.poll(() => box.isChecked()).toBe(true)
    await box.click()
    await expect.poll(async () => (await control<{ outage: boolean }>('faults')).outage).toBe(false)
    isClean()
  })

  it('sets capacity, faults, switches and snapshots', async () => {
    const { page, isClean } = await openTime()
    await page.getByLabel('Driver capacity').fill('3')
    await page.getByRole('button', { name: 'Set capacity' }).click()
    await page.getByRole('status').filter({ hasText: '3 more drivers' }).waitFor()
    await page.getByLabel('Answer with').fill('SERVICE_UNAVAILABLE')
    await page.getByLabel('Only this operation').fill('createDelivery')
    await page.getByLabel('Probability').fill('0.5')
    await page.getByRole('button', { name: 'Add fault' }).click()
    await page.getByText('createDelivery · 50 %').waitFor()
    expect(await control('faults')).toMatchObject({
      capacity: 3,
      rules: [{ force: 'SERVICE_UNAVAILABLE', operation: 'createDelivery', probability: 0.5 }],
    })
    await page.getByLabel('lookupShape').selectOption('array')
    await page.getByRole('status').filter({ hasText: 'lookupShape is array' }).waitFor()
    expect(await control('status')).toMatchObject({ switches: { lookupShape: 'array' } })
    await page.getByLabel('Name of a snapshot').fill('clean')
    await page.getByRole('button', { name: 'Save snapshot' }).click()
    await page.getByRole('button', { name: 'Restore clean' }).waitFor()
    await page.getByRole('button', { name: 'Remove all faults' }).click()
    await page.getByRole('status').filter({ hasText: 'Removed all faults' }).waitFor()
    await page.getByRole('button', { name: 'Restore clean' }).click()
    await page.getByRole('status').filter({ hasText: 'Restored clean' }).waitFor()
    expect(await control('faults')).toMatchObject({ rules: [{ operation: 'createDelivery' }] })
    isClean()
  })

  it('has magic values that can be read and copied on a phone', async () => {
    const { page } = await open(screenUrl(served.url, '/time'))
    await page.setViewportSize({ width: 390, height: 800 })
    const values = page.locator('.magic li')
    await values.first().waitFor()
    const heights = await values.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height))
    expect(Math.max(...heights)).toBeLessThan(130)
    const copies = await values
      .locator('button')
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().width))
    expect(Math.max(...copies)).toBeLessThan(90)
  })

  it('says what dlv report says, and is cut by store', async () => {
    const report = await served.cli.json<{ deliveries: number; metrics: { completion: { value: number } } }>([
      ...['report', '--from', '7d', '--by', 'store'],
    ])
    const { page, isClean } = await open(screenUrl(served.url, '/report'))
    await page.getByText(`${report.deliveries} deliveries`).waitFor()
    const drawn = page.frameLocator('iframe[title=Report]')
    await drawn
      .getByText(`${(report.metrics.completion.value * 100).toFixed(1)} %`)
      .first()
      .waitFor()
    await page.getByLabel('Cut by').selectOption('store')
    await drawn.getByRole('row', { name: /^STORE-001/ }).waitFor()
    await page.waitForURL(/by=store/)
    const frame = await page.getByTitle('Report').elementHandle()
    const inside = (await frame?.contentFrame()) ?? page.mainFrame()
    expect(await inside.evaluate('getComputedStyle(document.querySelector(".solid")).fill')).toBe('rgb(31, 111, 235)')
    // As high as its content: the page scrolls, and prints all of it.
    await expect
      .poll(() => inside.evaluate<number>('document.documentElement.scrollHeight - innerHeight'))
      .toBeLessThanOrEqual(0)
    isClean()
  })

  it('fit every width from 360 pixels to 4K, and axe finds nothing wrong in either theme', async () => {
    const { page } = await open(served.url)
    for (const path of ['/report?by=store', '/installations?code=FTBRAGG', '/time']) {
      await show(page, screenUrl(served.url, path))
      await page.locator('section.panel, iframe').first().waitFor()
      await expectFit(page, [360, 900, 3840])
      await page.setViewportSize({ width: 390, height: 800 })
      expect(await axeViolations(page), path).toEqual([])
    }
  })
})
