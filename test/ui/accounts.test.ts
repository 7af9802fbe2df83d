import { describe, expect, it, onTestFinished } from 'vitest'
import { type RunningSandbox, startSandbox } from '../../src/sandbox/index.js'
import type { LiveItem } from '../../src/ui/wire/live.js'
import type { WebhookOverview } from '../../src/ui/wire/webhooks.js'
import { type Cli, createCli } from '../support/cli/program.js'
import { create, startAccounts } from '../support/sandbox/five-accounts.js'
import { axeViolations, describeInBrowser, expectFit, screenUrl, show } from '../support/ui/browser.js'
import { type Served, serveUi } from '../support/ui/inspector.js'
import { countingService } from '../support/ui/production.js'
import { until } from '../support/until.js'

/** The status of an answer, and its JSON. */
async function answered(answer: Promise<Response>) {
  const response = await answer
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

/** Adds accounts of the embedded sandbox, each in a profile of its name with one order of the same reference. */
async function addAccounts(cli: Cli, ...names: string[]): Promise<void> {
  for (const name of names) {
    await cli.json(['sandbox', 'accounts', 'add', name, '--profile', name])
    await cli.run(['deliveries', 'create', '--file', 'examples/order.json', '--ref', 'SAME-1', '-P', name])
  }
}

interface Row {
  account: string
  deliveryId: string
  reference: string
  status: string
}

/** The rows of the list, once every account has answered: on a busy machine one may be late. */
async function rowsOf(served: Served, query = ''): Promise<Row[]> {
  for (;;) {
    const { rows, missing = [] } = await served.read<{ rows: Row[]; missing?: object[] }>(`/list${query}`)
    if (missing.length === 0) return rows
  }
}

async function idOf(served: Served, account: string): Promise<string> {
  return (await rowsOf(served)).find((row) => row.account === account)?.deliveryId ?? ''
}

const statusOf = async (cli: Cli, profile: string, id: string) =>
  (await cli.json<{ status: string }>(['deliveries', 'get', id, '-P', profile])).status

describe('A page of two accounts of one sandbox', () => {
  it('shows, sends and changes nothing of one under the other', async () => {
    const served = await serveUi('test', {
      words: ['-P', 'acme,bolt'],
      before: (cli) => addAccounts(cli, 'acme', 'bolt'),
    })
    const [acme, bolt] = [await idOf(served, 'acme'), await idOf(served, 'bolt')]
    expect(await rowsOf(served)).toMatchObject([
      { account: 'bolt', reference: 'SAME-1' },
      { account: 'acme', reference: 'SAME-1' },
    ])
    expect((await rowsOf(served, '?account=bolt')).map(({ deliveryId }) => deliveryId)).toEqual([bolt])
    const whole = `/deliveries/${acme}?account=acme`
    const { events } = await served.read<{ events: { eventId: string }[] }>(whole)
    const eventId = events[0]?.eventId ?? ''
    const overview = (account: string) => served.read<WebhookOverview>(`/webhooks?account=${account}`)
    const receiver = (await overview('acme')).receivers[0]?.id ?? ''
    // What is of one account is not there in the other's name, to be read or to be changed.
    for (const path of [`/deliveries/${acme}`, `/deliveries/${acme}/proofs/0`, `/events/${eventId}`])
      expect((await served.ask(`${path}?account=bolt`)).status, path).toBe(404)
    const order = { order: { clientOrderReference: 'X-1' }, from: acme }
    for (const [path, body] of [
      [`/deliveries/${acme}/cancel`, {}],
      [`/deliveries/${acme}/simulate`, { advanceTo: 'delivered' }],
      [`/deliveries/${acme}/update`, { changes: { tipAmountCents: 1 } }],
      ['/deliveries', order],
      [`/events/${eventId}/resend`, {}],
      [`/events/${eventId}/send`, { target: 'http://127.0.0.1:9/', body: '{}' }],
      [`/webhooks/receivers/${receiver}/remove`, {}],
    ] as const)
      expect(await answered(served.post(`${path}?account=bolt`, body)), path).toMatchObject({
        status: 404,
        body: { error: { message: expect.any(String) } },
      })
    expect((await answered(served.post('/list/cancel?account=bolt', { deliveryIds: [acme] }))).status).toBe(422)
    expect(await statusOf(served.cli, 'acme', acme)).toBe('accepted')
    expect((await overview('acme')).receivers).toHaveLength(1)
    expect((await overview('bolt')).receivers).not.toMatchObject([{ id: receiver }])
    // Without a name nothing is written, and an account that is not shown has none.
    for (const [query, status, code] of [
      ['', 400, 'NO_ACCOUNT'],
      ['?account=', 400, 'NO_ACCOUNT'],
      ['?account=acme,bolt', 404, 'NO_SUCH_ACCOUNT'],
      ['?account=local', 404, 'NO_SUCH_ACCOUNT'],
      ['?account=ACME', 404, 'NO_SUCH_ACCOUNT'],
    ] as const)
      expect(await answered(served.post(`/deliveries/${acme}/cancel${query}`, {})), query).toMatchObject({
        status,
        body: { error: { code } },
      })
    expect(await statusOf(served.cli, 'acme', acme)).toBe('accepted')
    // In its own account each works.
    const advanced = served.post(`/deliveries/${acme}/simulate?account=acme`, { advanceTo: 'driver_assigned' })
    expect(await answered(advanced)).toMatchObject({ status: 200, body: { account: 'acme' } })
    const attempts = async (account: string) => (await overview(account)).attempts.map(({ eventType }) => eventType)
    await until('the attempt', async () => (await attempts('acme')).length > 0)
    expect(await attempts('bolt')).toEqual([])
    expect((await overview('acme')).events).toMatchObject([{ deliveryId: acme }])
    expect((await overview('bolt')).events).toEqual([])
    await until('the webhook', async () => {
      const { items } = await served.read<{ items: LiveItem[] }>('/live')
      return items.some(({ kind }) => kind === 'webhook')
    })
    const { items } = await served.read<{ items: LiveItem[] }>('/live')
    // A request is of the account whose key it had, whatever it asked for.
    const told = items.filter(({ kind }) => kind !== 'request')
    expect(new Set(told.map(({ account, deliveryId }) => `${account} ${deliveryId}`))).toEqual(
      new Set([`acme ${acme}`, `bolt ${bolt}`]),
    )
    expect(await statusOf(served.cli, 'bolt', bolt)).toBe('accepted')
  })

  it('finds what is named by its id alone in the account that has it', async () => {
    const served = await serveUi('test', {
      words: ['-P', 'acme,bolt'],
      before: (cli) => addAccounts(cli, 'acme', 'bolt'),
    })
    const id = await idOf(served, 'bolt')
    expect(await served.read(`/deliveries/${id}`)).toMatchObject({ account: 'bolt', delivery: { deliveryId: id } })
    expect(await answered(served.ask('/deliveries/del_none'))).toMatchObject({ status: 404 })
    expect(await answered(served.ask('/webhooks'))).toMatchObject({
      status: 400,
      body: { error: { code: 'NO_ACCOUNT' } },
    })
  })
})

/** A profile of a sandbox behind a socket. */
async function profileOf(cli: Cli, name: string, { baseUrl, apiKey }: RunningSandbox): Promise<void> {
  const words = ['profiles', 'add', name, '-e', 'sandbox', '--base-url', baseUrl, '--api-key-stdin', '--no-keychain']
  await cli.run(words, { stdin: apiKey })
}

/** Two services that draw the same ids: what one account has is called as what the other has. */
async function twins(): Promise<[RunningSandbox, RunningSandbox]> {
  const nowMs = Date.now()
  const start = async () => {
    const sandbox = await startSandbox({ seed: 7, clock: { now: () => nowMs }, rateLimit: 'off' })
    onTestFinished(() => sandbox.close())
    return sandbox
  }
  return [await start(), await start()]
}

it('Two accounts with the same ids keep their deliveries, events and lists apart', async () => {
  const [one, other] = await twins()
  await create(one, 'OF-ONE')
  await create(other, 'OF-OTHER')
  const served = await serveUi('test', {
    words: ['-P', 'one,other'],
    before: async (cli) => {
      await profileOf(cli, 'one', one)
      await profileOf(cli, 'other', other)
    },
  })
  const rows = await rowsOf(served)
  expect(new Set(rows.map(({ deliveryId }) => deliveryId)).size).toBe(1)
  expect(rows.map(({ account, reference }) => `${account} ${reference}`).toSorted()).toEqual([
    'one OF-ONE',
    'other OF-OTHER',
  ])
  const id = rows[0]?.deliveryId ?? ''
  expect(await answered(served.ask(`/deliveries/${id}`))).toMatchObject({
    status: 409,
    body: { error: { code: 'AMBIGUOUS', message: expect.stringContaining('one, other') } },
  })
  expect(await answered(served.post(`/deliveries/${id}/cancel?account=other`, {}))).toMatchObject({ status: 200 })
  expect(await served.read(`/deliveries/${id}?account=one`)).toMatchObject({
    delivery: { clientOrderReference: 'OF-ONE', status: 'accepted' },
  })
  const { items } = await served.read<{ items: LiveItem[] }>('/live')
  const accepted = items.filter(({ title }) => title === 'delivery.accepted')
  expect(new Set(accepted.map(({ eventId }) => eventId)).size).toBe(1)
  expect(accepted.map(({ account, reference }) => `${account} ${reference}`).toSorted()).toEqual([
    'one OF-ONE',
    'other OF-OTHER',
  ])
})

it('A list of several accounts has each delivery once in one order, page by page', async () => {
  const served = await serveUi('test', {
    words: ['--all-profiles'],
    before: async (cli) => {
      for (const [at, name] of ['acme', 'bolt', 'cargo'].entries()) {
        const sandbox = await startSandbox({ rateLimit: 'off' })
        onTestFinished(() => sandbox.close())
        for (let order = 0; order < 3 + at; order++) await create(sandbox, `${String(order)}-${name}`)
        await profileOf(cli, name, sandbox)
      }
    },
  })
  for (const order of ['asc', 'desc']) {
    const found: string[] = []
    let after: string | null = null
    do {
      const query = new URLSearchParams({ sort: 'client_order_reference', order, limit: '5', ...(after && { after }) })
      const page: { rows: Row[]; next: string | null; total: number | null } = await served.read(`/list?${query}`)
      found.push(...page.rows.map(({ reference }) => reference))
      after = page.next
    } while (after !== null)
    expect(found).toHaveLength(12)
    expect(found).toEqual(order === 'asc' ? found.toSorted() : found.toSorted().reverse())
  }
})

it('Production beside a sandbox is shown only by their names, and is read-only there', async () => {
  const service = await countingService()
  const served = await serveUi('test', {
    words: ['-P', 'live,acme'],
    before: async (cli) => {
      await addAccounts(cli, 'acme')
      const words = ['profiles', 'add', 'live', '-e', 'production', '--base-url', service.baseUrl, '--api-key-stdin']
      await cli.run([...words, '--no-keychain'], { stdin: 'dlvk_live_1' })
    },
  })
  service.writes.length = 0
  expect(await served.read('/session')).toMatchObject({
    environment: 'production and local',
    readOnly: false,
    accounts: [
      { profile: 'live', readOnly: true },
      { profile: 'acme', readOnly: false },
    ],
  })
  for (const path of ['/deliveries', '/deliveries/del_1/cancel', '/deliveries/del_1/simulate', '/list/cancel'])
    expect((await served.post(`${path}?account=live`, { deliveryIds: ['del_1'] })).status, path).toBe(403)
  expect(service.writes).toEqual([])
  const acme = await idOf(served, 'acme')
  expect((await served.post(`/deliveries/${acme}/cancel?account=acme`, {})).status).toBe(200)
  expect(service.writes).toEqual([])
  for (const words of [['--all-profiles'], ['-P', '*']]) {
    const mixed = await served.cli.run(['ui', '--port', '0', ...words])
    expect(mixed).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('would mix production (live)') })
  }
})

it('listen --ui shows the webhooks of all accounts, each with its account', async () => {
  const served = await serveUi('test', {
    command: ['webhooks', 'listen', '-o', 'ndjson', '--ui', '-P', 'acme,bolt'],
    before: (cli) => addAccounts(cli, 'acme', 'bolt'),
  })
  const advance = async (account: string) => {
    const id = await idOf(served, account)
    await served.post(`/deliveries/${id}/simulate?account=${account}`, { advanceTo: 'driver_assigned' })
    return id
  }
  const ids = { acme: await advance('acme'), bolt: await advance('bolt') }
  const webhooks = async () => {
    const { items } = await served.read<{ items: LiveItem[] }>('/live')
    return items.filter(({ kind }) => kind === 'webhook')
  }
  await until('both webhooks', async () => (await webhooks()).length === 2)
  const seen = Object.fromEntries((await webhooks()).map(({ account, deliveryId }) => [account, deliveryId]))
  expect(seen).toEqual(ids)
  const [first] = await webhooks()
  expect(await served.read(`/events/${first?.eventId}?account=${first?.account}`)).toMatchObject({
    verdict: { state: 'verified' },
  })
  const other = first?.account === 'acme' ? 'bolt' : 'acme'
  expect((await served.ask(`/events/${first?.eventId}?account=${other}`)).status).toBe(404)
  for (const account of ['acme', 'bolt'])
    expect((await served.read<WebhookOverview>(`/webhooks?account=${account}`)).secrets).toMatchObject([
      { verified: 1 },
    ])
})

describeInBrowser('The page of several accounts', (open) => {
  it('names the account of everything, is limited to one, and opens, advances and orders in it', async () => {
    const served = await serveUi('test', {
      words: ['-P', 'acme,bolt'],
      before: (cli) => addAccounts(cli, 'acme', 'bolt'),
    })
    const { page, isClean } = await open(screenUrl(served.url, '/deliveries'))
    const cards = page.getByRole('link', { name: /SAME-1/ })
    await cards.nth(1).waitFor()
    expect((await cards.allTextContents()).map((text) => /acme|bolt/.exec(text)?.[0]).toSorted()).toEqual([
      'acme',
      'bolt',
    ])
    await page.getByLabel('Account').selectOption('bolt')
    await expect.poll(() => cards.count()).toBe(1)
    // The choice stays on the way to other screens, and back from a delivery.
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click()
    expect(await page.getByLabel('Account').inputValue()).toBe('bolt')
    await page.getByRole('link', { name: 'Deliveries', exact: true }).first().click()
    await cards.first().click()
    await page.getByRole('heading', { level: 1, name: 'SAME-1' }).waitFor()
    await page.getByTitle('Account bolt').first().waitFor()
    await page.getByRole('button', { name: 'Advance to driver_assigned' }).focus()
    await page.getByText('$ dlv -P bolt simulate').waitFor()
    await page.getByRole('button', { name: 'Advance to driver_assigned' }).click()
    await page.getByText(/^Advanced to driver_assigned/).waitFor()
    const [acme, bolt] = [await idOf(served, 'acme'), await idOf(served, 'bolt')]
    expect(await statusOf(served.cli, 'bolt', bolt)).toBe('driver_assigned')
    expect(await statusOf(served.cli, 'acme', acme)).toBe('accepted')
    // A new order asks who pays before it shows anything to fill in.
    await show(page, screenUrl(served.url, '/deliveries'))
    await page.getByRole('button', { name: 'New order' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Account').waitFor()
    expect(await dialog.getByRole('button', { name: 'Create' }).count()).toBe(0)
    await dialog.getByLabel('Account').selectOption('acme')
    await dialog.getByLabel('clientOrderReference', { exact: true }).fill('NEW-1')
    await dialog.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { level: 1, name: 'NEW-1' }).waitFor()
    await page.getByTitle('Account acme').first().waitFor()
    expect((await rowsOf(served)).filter(({ reference }) => reference === 'NEW-1')).toMatchObject([{ account: 'acme' }])
    isClean()
  })

  it('has the account on each screen that lists, at every width and in both themes', async () => {
    const served = await serveUi('test', {
      words: ['-P', 'acme,bolt'],
      before: (cli) => addAccounts(cli, 'acme', 'bolt'),
    })
    for (const account of ['acme', 'bolt']) {
      const id = await idOf(served, account)
      await served.post(`/deliveries/${id}/simulate?account=${account}`, { advanceTo: 'driver_assigned' })
    }
    const { page, isClean } = await open(served.url)
    const lists = ['/live', '/deliveries', '/deliveries?view=list', '/deliveries?view=map', '/webhooks']
    for (const path of lists) {
      await show(page, screenUrl(served.url, path))
      for (const name of ['acme', 'bolt']) await page.getByTitle(`Account ${name}`).first().waitFor()
      await expectFit(page, [390, 1440])
      expect(await axeViolations(page), path).toEqual([])
      await show(page, screenUrl(served.url, `${path}${path.includes('?') ? '&' : '?'}account=acme`))
      await page.getByTitle('Account acme').first().waitFor()
      await expect.poll(() => page.getByTitle('Account bolt').count(), { message: path }).toBe(0)
    }
    for (const path of ['/installations', '/installations?view=changes', '/time', '/report']) {
      await show(page, screenUrl(served.url, path))
      await page.getByLabel('Account').waitFor()
      await expectFit(page, [390, 1440])
    }
    await page.frameLocator('iframe').getByRole('rowheader', { name: 'bolt' }).waitFor()
    // Opened by its address, a screen knows the accounts before it asks for anything of them.
    for (const path of ['/installations', '/webhooks']) {
      await show(page, screenUrl(served.url, path))
      await page.reload()
      await page.getByLabel('Account').waitFor()
      await page
        .getByText(/installations$|webhook (?:has been|was) sent|events sent/)
        .first()
        .waitFor()
    }
    isClean()
  })

  it('cancels what is selected of each account in that account, with the fees of each', async () => {
    const served = await serveUi('test', {
      words: ['-P', 'acme,bolt'],
      before: (cli) => addAccounts(cli, 'acme', 'bolt'),
    })
    const { page } = await open(screenUrl(served.url, '/deliveries?view=list'))
    for (const name of ['acme', 'bolt']) await page.getByLabel(`Select ${name} SAME-1`).check()
    await page.getByRole('button', { name: 'Cancel the selected' }).click()
    const dialog = page.getByRole('dialog')
    for (const name of ['acme', 'bolt']) await dialog.getByTitle(`Account ${name}`).waitFor()
    await dialog.getByRole('button', { name: 'Cancel 2 deliveries' }).click()
    await page
      .getByText(/acme: Cancelled 1 of 1.*bolt: Cancelled 1 of 1|bolt: Cancelled 1 of 1.*acme: Cancelled 1 of 1/)
      .waitFor()
    for (const name of ['acme', 'bolt'])
      expect(await statusOf(served.cli, name, await idOf(served, name))).toBe('cancelled')
  })

  it('shows the others whole while one fails, one has no valid key and one is slow, and names those', async () => {
    const served = await serveUi('test', {
      words: ['-P', 'acme-east,acme-west,revoked,broken,slow'],
      before: async (cli) => void (await startAccounts(cli, { orders: 3, slowMs: 700 })),
    })
    const { page } = await open(screenUrl(served.url, '/deliveries'))
    for (const name of ['acme-east', 'acme-west', 'slow'])
      for (const at of [0, 1, 2]) await page.getByText(`${name}-${at}`, { exact: true }).waitFor()
    const alert = page.getByRole('alert').filter({ hasText: 'Could not be read' })
    await expect.poll(() => alert.textContent()).toMatch(/revoked since .*key is missing or unknown/)
    await expect.poll(() => alert.textContent()).toMatch(/broken since/)
    expect(await alert.textContent()).not.toMatch(/acme-east|slow/)
    await expect.poll(() => page.locator('.connection').textContent()).toBe('live')
    await show(page, screenUrl(served.url, '/deliveries?view=list'))
    await page.getByText('9 deliveries', { exact: true }).waitFor()
    const other = await served.read<{ deliveries: number; missing: { account: string }[] }>('/report?from=7d')
    expect(other.deliveries).toBe(9)
    expect(other.missing.map(({ account }) => account).toSorted()).toEqual(['broken', 'revoked'])
  })
})

it('An account that cannot be opened is named, and hides nothing of the others', async () => {
  const served = await serveUi('test', {
    words: ['-P', 'acme,keyless'],
    before: async (cli) => {
      await addAccounts(cli, 'acme')
      const words = ['profiles', 'add', 'keyless', '-e', 'sandbox', '--base-url', 'http://127.0.0.1:9/delivery/v1']
      await cli.run([...words, '--no-api-key'])
    },
  })
  const { reading } = await served.read<{ reading: { failures: { account: string; message: string }[] } }>('/live')
  expect(reading.failures).toMatchObject([{ account: 'keyless', message: expect.any(String) }])
  expect((await served.read<{ rows: Row[] }>('/list')).rows).toMatchObject([{ account: 'acme' }])
})

it('One account is shown as ever: without names, filters or a name in its addresses', async () => {
  const cli = createCli()
  await cli.run(['deliveries', 'create', '--file', 'examples/order.json', '--ref', 'ONE-1'])
  const served = await serveUi('test', { before: (own) => addAccounts(own, 'acme'), words: ['-P', 'acme'] })
  const [row] = await rowsOf(served)
  expect(row).not.toHaveProperty('account')
  expect(await served.read('/session')).toMatchObject({ profile: 'acme', accounts: [] })
  const answer = await served.post(`/deliveries/${row?.deliveryId}/cancel`, {})
  expect(answer.status).toBe(200)
  expect(await answer.json()).not.toHaveProperty('account')
})
