import type { Page } from 'playwright-core'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import type { Delivery } from '../../src/contract/index.js'
import { problemNow } from '../../src/ui/page/models/board.js'
import type { Board } from '../../src/ui/wire/deliveries.js'
import { startJsonServer } from '../support/cli/json-server.js'
import { describeInBrowser, screenUrl } from '../support/ui/browser.js'
import { type Served, serveUi } from '../support/ui/inspector.js'

describeInBrowser('Deliveries in the browser', (open) => {
  let served: Served
  beforeAll(async () => {
    served = await serveUi('file')
    return served.close
  })
  const create = (reference: string) =>
    served.cli.json<Delivery>(['deliveries', 'create', '--file', 'examples/order.json', '--ref', reference])
  const read = (deliveryId: string) => served.cli.json<Delivery>(['deliveries', 'get', deliveryId])
  const status = (page: Page) => page.getByRole('status')
  const openDelivery = async (reference: string) => {
    const { deliveryId } = await create(reference)
    const opened = await open(screenUrl(served.url, `/deliveries/${deliveryId}`))
    await opened.page.getByRole('heading', { level: 1, name: reference }).waitFor()
    return { ...opened, deliveryId }
  }

  it('creates the order of the form, whose fields have the names of the wire', async () => {
    const { page, isClean } = await open(screenUrl(served.url, '/deliveries'))
    await page.getByRole('button', { name: 'New order' }).click()
    await page.getByLabel('clientOrderReference').fill('FORM-1')
    await page.getByLabel('dropoff.instructions').fill('Blue gate')
    await page.getByLabel('package.contains').fill('perishable_cold_chain')
    await page.getByLabel('verification.dropoff.signature.level').selectOption('required')
    await page.getByLabel('metadata').fill('{"desk": 4}')
    const button = page.getByRole('button', { name: 'Create' })
    await button.focus()
    expect(await page.locator('.command code').textContent()).toContain('dlv deliveries create --file -')
    await button.click()
    await page.getByRole('heading', { level: 1, name: 'FORM-1' }).waitFor()
    await expect.poll(() => status(page).textContent()).toContain('Created FORM-1')
    const [found] = await served.cli.json<Delivery[]>(['deliveries', 'list', '--ref', 'FORM-1'])
    expect(await read(found?.deliveryId ?? '')).toMatchObject({
      dropoff: { instructions: 'Blue gate', address: { city: 'Fayetteville' } },
      resolvedVerification: { dropoff: { signature: { level: 'required' } } },
    })
    expect(await served.cli.json(['sandbox', 'inspect', found?.deliveryId ?? ''])).toMatchObject({
      metadata: { desk: 4 },
      package: { contains: ['perishable_cold_chain'] },
    })
    isClean()
  })

  it('says at its field what is wrong with an order, and creates nothing', async () => {
    const { page } = await open(screenUrl(served.url, '/deliveries'))
    await page.getByRole('button', { name: 'New order' }).waitFor()
    await page.keyboard.press('n')
    await page.getByLabel('clientOrderReference').fill('WRONG-1')
    await page.getByLabel('package.itemsCount').fill('many')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('alert').filter({ hasText: 'cannot be sent' }).waitFor()
    expect(await page.getByLabel('package.itemsCount').getAttribute('aria-invalid')).toBe('true')
    await page.getByLabel('package.itemsCount').fill('3')
    await page.getByLabel('dropoff.contactPhone').fill('555')
    await page.getByRole('button', { name: 'Create' }).click()
    await page
      .getByText(/E\.164/)
      .first()
      .waitFor()
    expect(await page.getByLabel('dropoff.contactPhone').getAttribute('aria-invalid')).toBe('true')
    expect(await served.cli.json(['deliveries', 'list', '--ref', 'WRONG-1'])).toEqual([])
  })

  it('says what is wrong with a delivery, in the words of its card in the terminal', async () => {
    const own = await serveUi()
    const words = ['deliveries', 'create', '--file', 'examples/order.json', '--ref', 'STUCK-1']
    const { deliveryId } = await own.cli.json<Delivery>(words)
    await own.cli.json(['sandbox', 'clock', 'advance', '40m'])
    const { page } = await open(screenUrl(own.url, `/deliveries/${deliveryId}`))
    await page.locator('.badge', { hasText: 'no driver for 40 min' }).waitFor()
    const { stdout } = await own.cli.run(['deliveries', 'get', 'STUCK-1', '--no-color'], { columns: 100 })
    expect(stdout).toContain('no driver for 40 min')
  })

  it('counts on the board from the status, as list and board of the terminal, also on an account of a service', async () => {
    const nowMs = Date.now()
    const ago = (minutes: number) => new Date(nowMs - minutes * 60_000).toISOString()
    const delivery = {
      deliveryId: 'del_1',
      clientOrderReference: 'WAITS-1',
      status: 'accepted',
      createdAt: ago(42),
      updatedAt: ago(2),
      livemode: false,
    }
    const event = (eventId: string, eventType: string, minutes: number) => {
      const envelope = { eventId, eventType, occurredAt: ago(minutes), livemode: false }
      const snapshot = { ...delivery, updatedAt: ago(minutes) }
      return { ...envelope, deliveryId: 'del_1', data: { ...envelope, delivery: snapshot } }
    }
    const events = [event('evt_1', 'delivery.accepted', 42), event('evt_2', 'delivery.updated', 2)]
    const service = await startJsonServer((path) => {
      if (path.startsWith('/events')) return JSON.stringify({ events, nextCursor: null })
      if (path.startsWith('/deliveries')) return JSON.stringify({ deliveries: [delivery], nextCursor: null })
      return JSON.stringify({ status: 'healthy', checkedAt: new Date(nowMs).toISOString() })
    })
    onTestFinished(() => service.close())
    const { env } = service
    const own = await serveUi('test', { env })
    const board = await own.read<Board>('/deliveries')
    expect(board.deliveries).toMatchObject([{ reference: 'WAITS-1', since: ago(42) }])
    expect(board.deliveries.map((one) => problemNow(one, nowMs)?.text)).toEqual(['no driver for 42 min'])
    for (const words of [
      ['deliveries', 'list', '--problem'],
      ['deliveries', 'board', '--once'],
    ])
      expect(
        (await own.cli.run([...words, '-o', 'csv'], { env, nowMs: () => nowMs })).stdout,
        words.join(' '),
      ).toContain('no driver for 42 min')
  })

  it('shows an order on the board as soon as it was created elsewhere, and where it is', async () => {
    const { page, isClean } = await open(screenUrl(served.url, '/deliveries'))
    await page.getByRole('button', { name: 'New order' }).waitFor()
    const { deliveryId } = await create('BOARD-1')
    const waiting = page.getByRole('region', { name: 'Waiting' }).getByRole('link', { name: /BOARD-1/ })
    await waiting.waitFor()
    await served.cli.json(['simulate', deliveryId, '--to', 'pickup_complete'])
    await page
      .getByRole('region', { name: 'To dropoff' })
      .getByRole('link', { name: /BOARD-1/ })
      .waitFor()
    await expect.poll(() => waiting.count()).toBe(0)
    isClean()
  })

  it('finds deliveries on the board by any of their words, and keeps the search in the address', async () => {
    await Promise.all([create('FIND-1'), create('FIND-2')])
    const { page, isClean } = await open(screenUrl(served.url, '/deliveries'))
    await page.getByRole('link', { name: /FIND-2/ }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('accepted find-1')
    await page.waitForURL(/q=accepted\+find-1/)
    await page.getByText('1 delivery').waitFor()
    expect(await page.locator('.board .card').allTextContents()).toEqual([expect.stringContaining('FIND-1')])
    await page.getByLabel('Search').fill('no such order')
    await page.getByRole('button', { name: 'Show all deliveries' }).click()
    await page.getByRole('link', { name: /FIND-2/ }).waitFor()
    isClean()
  })

  it('dispatches an order once, however often its form is sent', async () => {
    const { page } = await open(screenUrl(served.url, '/deliveries'))
    const fillAndCreate = async (instructions: string) => {
      await page.getByRole('button', { name: 'New order' }).click()
      await page.getByLabel('clientOrderReference').fill('ONCE-1')
      await page.getByLabel('dropoff.instructions').fill(instructions)
      await page.getByRole('button', { name: 'Create' }).click()
    }
    await fillAndCreate('Back entrance')
    await status(page).filter({ hasText: 'Created ONCE-1' }).waitFor()
    await page.getByRole('navigation').getByRole('link', { name: 'Deliveries' }).click()
    await fillAndCreate('Back entrance')
    await status(page).filter({ hasText: 'ONCE-1 was created before; nothing was dispatched.' }).waitFor()
    await page.getByRole('navigation').getByRole('link', { name: 'Deliveries' }).click()
    await fillAndCreate('Front entrance')
    await page.getByRole('dialog').getByRole('alert').filter({ hasText: 'ONCE-1' }).waitFor()
    expect(await served.cli.json<Delivery[]>(['deliveries', 'list', '--ref', 'ONCE-1'])).toHaveLength(1)
  })

  it('advances to legal statuses only, and asks for a reason where one is needed', async () => {
    const { page, isClean, deliveryId } = await openDelivery('MOVE-1')
    const offered = async () => page.getByRole('button', { name: /^Advance to / }).allTextContents()
    const legal = async () =>
      (await served.cli.json<{ status: string }[]>(['simulate', deliveryId, '--list'])).map((move) => move.status)
    await expect.poll(async () => (await offered()).sort()).toEqual((await legal()).sort())
    const button = page.getByRole('button', { name: 'Advance to driver_at_pickup' })
    await button.focus()
    await page.getByText(`dlv simulate ${deliveryId} --to driver_at_pickup`).waitFor()
    await button.click()
    await expect.poll(() => status(page).textContent()).toContain('Advanced to driver_at_pickup')
    expect((await read(deliveryId)).status).toBe('driver_at_pickup')
    await expect.poll(offered).not.toContain('driver_assigned')
    await expect.poll(async () => (await offered()).sort()).toEqual((await legal()).sort())
    await page.getByRole('button', { name: 'Advance to failed' }).click()
    await page.getByLabel('Reason').selectOption('package_not_ready')
    await page.getByRole('button', { name: 'Advance', exact: true }).click()
    await expect.poll(() => status(page).textContent()).toContain('Advanced to failed')
    expect(await read(deliveryId)).toMatchObject({ status: 'failed', statusReasonCode: 'package_not_ready' })
    isClean()
  })

  it('lets choose among the statuses in a single line of a narrow screen', async () => {
    const { page, isClean, deliveryId } = await openDelivery('NARROW-1')
    await page.setViewportSize({ width: 360, height: 800 })
    const choice = page.getByRole('combobox', { name: 'Advance to' })
    await expect.poll(() => choice.locator('option').count()).toBeGreaterThan(10)
    const height = async () => (await page.getByRole('region', { name: 'Simulate' }).boundingBox())?.height
    await expect.poll(height).toBeLessThanOrEqual(40)
    await choice.selectOption('driver_at_pickup')
    await page.getByRole('button', { name: 'Advance to driver_at_pickup' }).click()
    await expect.poll(() => status(page).textContent()).toContain('Advanced to driver_at_pickup')
    await choice.selectOption('failed')
    await page.getByRole('button', { name: 'Advance to failed' }).click()
    await page.getByLabel('Reason').selectOption('package_not_ready')
    await page.getByRole('dialog').getByRole('button', { name: 'Advance', exact: true }).click()
    await expect.poll(async () => (await read(deliveryId)).status).toBe('failed')
    isClean()
  })

  it('updates what the stage allows, and sends only what was changed', async () => {
    const { page, isClean, deliveryId } = await openDelivery('UPDATE-1')
    await page.getByRole('button', { name: 'Update' }).click()
    await page.getByLabel('dropoff.unit.room').fill('214')
    expect(await page.getByLabel('clientOrderReference').count()).toBe(0)
    await page.getByLabel('tipAmountCents').fill('')
    const save = page.getByRole('button', { name: 'Save' })
    await save.focus()
    await page
      .getByText(`dlv deliveries update ${deliveryId} --set dropoff.unit.room=214 --clear tipAmountCents`)
      .waitFor()
    await save.click()
    await expect.poll(() => status(page).textContent()).toContain('Saved')
    const inside = await served.cli.json(['sandbox', 'inspect', deliveryId])
    expect(inside).toMatchObject({ dropoff: { unit: { room: '214' }, contactName: expect.not.stringContaining('*') } })
    expect(inside).not.toHaveProperty('tipAmountCents')
    await served.cli.json(['simulate', deliveryId, '--to', 'pickup_complete'])
    await page.getByText('pickup complete').first().waitFor()
    await page.getByRole('button', { name: 'Update' }).click()
    const fields = page.getByRole('dialog').locator('label')
    await expect
      .poll(() => fields.allTextContents())
      .toEqual(['dropoff.contactPhone', 'dropoff.instructions', 'tipAmountCents'])
    await page.getByLabel('dropoff.instructions').fill('Ring twice')
    await save.click()
    await expect.poll(async () => (await read(deliveryId)).dropoff?.instructions).toBe('Ring twice')
    isClean()
  })

  it('cancels after it has said the fee, and keeps it if told so', async () => {
    const { page, isClean, deliveryId } = await openDelivery('CANCEL-1')
    await served.cli.json(['simulate', deliveryId, '--to', 'driver_assigned'])
    await page.getByText('driver assigned').first().waitFor()
    await page.getByRole('button', { name: 'Cancel', exact: true }).click()
    await page.getByText('$3.00').waitFor()
    await page.getByRole('button', { name: 'Keep it' }).click()
    expect((await read(deliveryId)).status).toBe('driver_assigned')
    await page.getByRole('button', { name: 'Cancel', exact: true }).click()
    await page.getByRole('button', { name: 'Cancel the delivery' }).click()
    await expect.poll(() => status(page).textContent()).toContain('$3.00')
    expect(await read(deliveryId)).toMatchObject({ status: 'cancelled', pricing: { cancellationFeeCents: 300 } })
    await expect.poll(() => page.getByRole('button', { name: 'Cancel', exact: true }).count()).toBe(0)
    await expect.poll(() => page.getByRole('button', { name: /^Advance|^Update/ }).count()).toBe(0)
    isClean()
  })

  it('says why an action was refused', async () => {
    const { page, deliveryId } = await openDelivery('REFUSED-1')
    await page.getByRole('button', { name: 'Advance to delivered' }).waitFor()
    await served.cli.json(['sandbox', 'faults', '--outage'])
    await page.getByRole('button', { name: 'Advance to delivered' }).click()
    await page
      .getByRole('alert')
      .filter({ hasText: /outage|unavailable/i })
      .waitFor()
    await served.cli.json(['sandbox', 'faults', '--no-outage'])
    expect((await read(deliveryId)).status).toBe('accepted')
  })

  it('says in a sentence where it is, and of a failure what explain says, with the next step', async () => {
    const { page, isClean, deliveryId } = await openDelivery('STORY-1')
    const sentence = page.locator('.story-sentence')
    await expect.poll(() => sentence.textContent()).toBe('Waiting for a driver at STORE-001.')
    await served.cli.json(['simulate', deliveryId, '--to', 'failed', '--reason', 'recipient_unavailable'])
    await expect.poll(() => sentence.textContent()).toMatch(/^Failed at \d\d:\d\d: recipient unavailable\.$/)
    const { meaning } = await served.cli.json<{ meaning: string }>(['explain', 'recipient_unavailable'])
    await page.getByText(meaning).waitFor()
    await page.getByText(`$ dlv deliveries create --from ${deliveryId}`).waitFor()
    await page.getByRole('button', { name: 'Order again' }).click()
    const field = page.getByLabel('dropoff.contactName')
    const { dropoff } = await read(deliveryId)
    expect(await field.inputValue()).not.toBe(dropoff?.contactName)
    await page.getByLabel('dropoff.instructions').fill('At the desk')
    await page.getByRole('button', { name: 'Create' }).click()
    await expect.poll(() => page.url()).not.toContain(deliveryId)
    const again = await read(new URL(page.url()).pathname.split('/').at(-1) ?? '')
    expect(again.dropoff).toEqual({ ...dropoff, instructions: 'At the desk' })
    expect(again.clientOrderReference).toMatch(/^STORY-1./)
    isClean()
  })

  it('masks names and phones until it is asked', async () => {
    const { page, deliveryId } = await openDelivery('MASK-1')
    const { dropoff } = await read(deliveryId)
    const [name = '', phone = ''] = [dropoff?.contactName ?? '', dropoff?.contactPhone ?? '']
    expect(name.length * phone.length).toBeGreaterThan(0)
    expect(await page.content()).not.toContain(phone)
    expect(await page.content()).not.toContain(name)
    await page.getByRole('button', { name: 'Show names and phones' }).click()
    await page.getByText(phone).first().waitFor()
    await page.getByText(name).first().waitFor()
    await page.getByRole('button', { name: 'Hide names and phones' }).click()
    await expect.poll(() => page.content()).not.toContain(phone)
  })

  it('shows a hostile order as the text that it is', async () => {
    const reference = `<img src=x onerror="document.title='owned'">‮x`
    const instructions = `"><script>document.title='owned'</script> ${'W'.repeat(200)}`
    const order = JSON.stringify({
      ...JSON.parse((await served.cli.run(['deliveries', 'template'])).stdout),
      clientOrderReference: reference,
      package: { description: `<svg onload=alert(1)>${'x'.repeat(1_000_000)}`, itemsCount: 1 },
      metadata: { '<b>': '</script><script>alert(1)</script>' },
    })
    const delivery = await served.cli.json<Delivery>(
      ['deliveries', 'create', '--file', '-', '--instructions', instructions],
      {
        stdin: order,
      },
    )
    const { page, isClean } = await open(screenUrl(served.url, '/deliveries'))
    await page.getByRole('link', { name: reference }).click()
    await page.waitForURL(`**/${delivery.deliveryId}**`)
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(reference)
    await page.getByText(instructions).waitFor()
    await page.getByRole('navigation').getByRole('link', { name: 'Live', exact: true }).click()
    await page.getByRole('link', { name: reference }).first().waitFor()
    await expect.poll(() => page.title()).toBe('Live · dlv')
    expect(await page.locator('main img, main script').count()).toBe(0)
    expect(delivery.clientOrderReference).toBe(reference)
    isClean()
  })
})
