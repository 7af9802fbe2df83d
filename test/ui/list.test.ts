import { beforeAll, expect, it } from 'vitest'
import type { Delivery, EventRecord } from '../../src/contract/index.js'
import type { ListPage } from '../../src/ui/wire/list.js'
import { axeViolations, describeInBrowser, expectFit, screenUrl } from '../support/ui/browser.js'
import { type Served, serveUi } from '../support/ui/inspector.js'

describeInBrowser('The list of deliveries', (open) => {
  let served: Served
  const create = (reference: string, ...words: string[]) =>
    served.cli.json<Delivery>(['deliveries', 'create', '--file', 'examples/order.json', '--ref', reference, ...words])
  const read = (deliveryId: string) => served.cli.json<Delivery>(['deliveries', 'get', deliveryId])
  const list = async (query: string) =>
    (await served.read<ListPage>(`/list?${query}`)).rows.map(({ reference }) => reference)
  beforeAll(async () => {
    served = await serveUi('file', {
      before: async (cli) => {
        for (const number of [1, 2, 3, 4, 5]) {
          const words = ['deliveries', 'create', '--file', 'examples/order.json', '--ref', `LIST-${number}`]
          await cli.json([...words, '--set', `dropoff.contactName="Robin Vale ${number}"`])
        }
      },
    })
    return served.close
  })

  it('goes through all in any order by keyset, page by page, none twice', async () => {
    for (const [query, expected] of [
      ['sort=client_order_reference&order=asc', ['LIST-1', 'LIST-2', 'LIST-3', 'LIST-4', 'LIST-5']],
      ['sort=created_at', ['LIST-5', 'LIST-4', 'LIST-3', 'LIST-2', 'LIST-1']],
      // Nothing has ended: rows without a value have a place as well.
      ['sort=ended_at&order=asc', ['LIST-1', 'LIST-2', 'LIST-3', 'LIST-4', 'LIST-5']],
    ] as const) {
      const found: string[] = []
      let after = ''
      for (let pages = 0; pages < 4; pages++) {
        const page = await served.read<ListPage>(`/list?limit=2&${query}${after}`)
        expect(page.total).toBe(pages === 0 ? 5 : null)
        found.push(...page.rows.map(({ reference }) => reference))
        if (page.next === null) break
        after = `&after=${encodeURIComponent(page.next)}`
      }
      expect(found).toEqual(expected)
    }
    expect((await served.ask('/list?sort=contact_name')).status).toBe(400)
    expect(await list('after=%5B%5D')).toHaveLength(5)
  })

  it('finds a delivery by reference, id, name, phone, street and event, in any case', async () => {
    const { deliveryId } = await create(
      'FOUND-1',
      '--set',
      'dropoff.address.line1="77 Quiet Lane"',
      '--set',
      'dropoff.contactPhone="+19105550199"',
    )
    const [event] = await served.cli.json<EventRecord[]>(['events', 'list', '--delivery', deliveryId])
    await expect.poll(() => list('')).toContain('FOUND-1')
    for (const text of ['found-1', deliveryId, 'QUIET lane', '+1 (910) 555-0199', event?.eventId ?? ''])
      expect(await list(`q=${encodeURIComponent(text)}`), text).toEqual(['FOUND-1'])
    expect(await list('q=robin+vale+3')).toEqual(['LIST-3'])
    expect(await list(`q=${encodeURIComponent("' OR 1=1 --")}`)).toEqual([])
  })

  it('is found from any screen, by what the page itself does not show', async () => {
    const { page, isClean } = await open(screenUrl(served.url, '/time'))
    await page.getByRole('heading', { level: 1, name: 'Time and faults' }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('robin vale 4')
    await page.getByRole('option', { name: /LIST-4/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'LIST-4' }).waitFor()
    isClean()
  })

  it('sorts, shows chosen columns, and cancels the selected with the sum of their fees', async () => {
    const ids = await Promise.all(['CANCEL-A', 'CANCEL-B'].map(async (name) => (await create(name)).deliveryId))
    for (const id of ids) await served.cli.json(['simulate', id, '--to', 'driver_assigned'])
    const { page, isClean } = await open(screenUrl(served.url, '/deliveries?view=list'))
    await page.getByRole('link', { name: 'CANCEL-B' }).waitFor()
    await page.getByRole('button', { name: 'Order', exact: true }).click()
    await expect.poll(() => page.locator('.list tbody .reference').first().textContent()).toBe('LIST-5')
    expect(await page.getByRole('columnheader', { name: 'Order' }).getAttribute('aria-sort')).toBe('descending')
    await page.getByText('Columns').click()
    await page.getByLabel('ZIP').check()
    await page.getByRole('columnheader', { name: 'ZIP' }).waitFor()
    expect(await axeViolations(page)).toEqual([])
    await expectFit(page, [360, 900, 1440])
    for (const name of ['CANCEL-A', 'CANCEL-B']) await page.getByLabel(`Select ${name}`).check()
    await page.getByRole('button', { name: 'Cancel the selected' }).click()
    await page.getByText('2 deliveries under way, fees now: $6.00.').waitFor()
    expect(await axeViolations(page)).toEqual([])
    const button = page.getByRole('button', { name: 'Cancel 2 deliveries' })
    await button.focus()
    await page.getByText(/^\$ dlv deliveries cancel del_\w+ del_\w+ --reason customer_cancelled$/).waitFor()
    await button.click()
    await expect.poll(() => page.getByRole('status').textContent()).toBe('Cancelled 2 of 2, fees $6.00.')
    for (const id of ids) expect((await read(id)).status).toBe('cancelled')
    isClean()
  })

  it('replays the webhooks of the selected, and of no other', async () => {
    const all = await Promise.all([1, 2, 3].map(async (number) => (await create(`REPLAY-${number}`)).deliveryId))
    const ids = all.slice(0, 2)
    const attemptsOf = async (deliveryId: string) => {
      const [event] = await served.cli.json<EventRecord[]>(['events', 'list', '--delivery', deliveryId])
      return served.cli.json<unknown[]>(['sandbox', 'attempts', event?.eventId ?? ''])
    }
    for (const id of all) await expect.poll(async () => (await attemptsOf(id)).length).toBe(1)
    const { page } = await open(screenUrl(served.url, '/deliveries?view=list&q=REPLAY'))
    for (const name of ['REPLAY-1', 'REPLAY-2']) await page.getByLabel(`Select ${name}`).check()
    const button = page.getByRole('button', { name: 'Replay their webhooks' })
    await button.focus()
    const commands = ids.map((id) => `dlv events replay --delivery ${id} --to URL`)
    await page.getByText(`$ ${commands.join('; ')}`).waitFor()
    await button.click()
    await expect.poll(() => page.getByRole('status').textContent()).toBe('Sent 2 events again: all delivered.')
    expect(await Promise.all(all.map(async (id) => (await attemptsOf(id)).length))).toEqual([2, 2, 1])
  })
})
