import { readFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startSandbox } from '../../src/sandbox/index.js'
import { sampleEvent, signatureHeaders } from '../../src/webhooks/index.js'
import { type Cli, createCli } from '../support/cli/program.js'
import { connectAgent } from '../support/mcp/agent.js'
import { create, startAccounts } from '../support/sandbox/five-accounts.js'
import { countingService } from '../support/ui/production.js'

const order = (reference: string) => ({
  ...JSON.parse(readFileSync('examples/order.json', 'utf8')),
  clientOrderReference: reference,
})

/** A person with accounts of the embedded sandbox, each with one order of the same reference. */
async function personWith(...names: string[]) {
  const cli = createCli()
  const ids: Record<string, string> = {}
  const secrets: Record<string, string> = {}
  for (const name of names) {
    const added = await cli.json(['sandbox', 'accounts', 'add', name, '--profile', name])
    secrets[name] = String(added.webhookSecret)
    const words = ['deliveries', 'create', '--file', 'examples/order.json', '--ref', 'SAME-1', '-q', '-P', name]
    ids[name] = (await cli.run(words)).stdout.trim()
  }
  return { cli, idOf: (name: string) => ids[name] ?? '', secretOf: (name: string) => secrets[name] ?? '' }
}

const statusOf = async (cli: Cli, profile: string, id: string) =>
  (await cli.json<{ status: string }>(['deliveries', 'get', id, '-P', profile])).status

describe('The tools of several accounts', () => {
  it('read all accounts or one, each row with its account, and find an id in the account that has it', async () => {
    const { cli, idOf } = await personWith('acme', 'bolt')
    const { client, call } = await connectAgent(cli, ['-P', 'acme,bolt'])
    const { tools } = await client.listTools()
    const argument = (name: string) => {
      const schema = tools.find((tool) => tool.name === name)?.inputSchema
      const account = schema?.properties?.account as { enum: string[] } | undefined
      return [account?.enum, schema?.required?.includes('account') ?? false]
    }
    expect(argument('deliveries_find')).toEqual([['acme', 'bolt'], false])
    expect(argument('delivery_cancel')).toEqual([['acme', 'bolt'], true])
    expect(argument('simulate')).toEqual([['acme', 'bolt'], true])
    expect(argument('explain')).toEqual([undefined, false])
    const whoami = await call('whoami')
    expect(whoami.data.accounts).toMatchObject([
      { account: 'acme', profile: 'acme' },
      { account: 'bolt', profile: 'bolt' },
    ])
    const found = await call('deliveries_find')
    expect(
      found.data.deliveries.map((row: { account: string; deliveryId: string }) => [row.account, row.deliveryId]),
    ).toEqual([
      ['bolt', idOf('bolt')],
      ['acme', idOf('acme')],
    ])
    expect((await call('deliveries_find', { limit: 1 })).data).toMatchObject({
      deliveries: [{ account: 'bolt' }],
      more: true,
    })
    const own = await call('deliveries_find', { account: 'acme' })
    expect(own.data).toMatchObject({ account: 'acme', deliveries: [{ deliveryId: idOf('acme') }] })
    expect((await call('delivery_get', { deliveryId: idOf('bolt') })).data).toMatchObject({
      account: 'bolt',
      deliveryId: idOf('bolt'),
    })
    expect(await call('delivery_get', { deliveryId: idOf('bolt'), account: 'acme' })).toMatchObject({ isError: true })
    const both = await call('delivery_get', { deliveryId: 'SAME-1' })
    expect(both).toMatchObject({ isError: true, data: { error: { code: 'AMBIGUOUS' } } })
    expect(both.data.error.candidates.map(({ account }: { account: string }) => account)).toEqual(['acme', 'bolt'])
    expect(await call('delivery_get', { deliveryId: 'NONE-1' })).toMatchObject({
      isError: true,
      data: { error: { message: expect.stringContaining('acme, bolt') } },
    })
    const events = await call('events_find', { deliveryId: idOf('acme') })
    expect(events.data.events).toMatchObject([{ account: 'acme', deliveryId: idOf('acme') }])
    expect((await call('explain', { code: 'denied_at_gate' })).isError).toBe(false)
    // An account that is not served has no tools.
    for (const account of ['local', 'ACME', 'acme,bolt', ''])
      expect(await call('deliveries_find', { account }), account).toMatchObject({
        isError: true,
        data: { error: { message: expect.stringContaining('expected one of acme, bolt') } },
      })
  })

  it('query the archives of all together or of one, with a column that says whose a row is', async () => {
    const { cli, idOf } = await personWith('acme', 'bolt')
    await cli.json(['sandbox', 'accounts', 'add', 'fresh', '--profile', 'fresh'])
    await cli.run(['sync', '-P', 'acme,bolt'])
    const { client, call } = await connectAgent(cli, ['-P', 'acme,bolt,fresh'])
    const query = (sql: string, rest: object = {}) => call('query', { sql, ...rest })
    const all = await query('select profile, delivery_id from deliveries order by profile desc')
    expect(all.data).toMatchObject({
      rows: [
        { profile: 'bolt', delivery_id: idOf('bolt') },
        { profile: 'acme', delivery_id: idOf('acme') },
      ],
      more: false,
      // It was never synced; that hides nothing of the others.
      failed: [{ account: 'fresh', code: 'USAGE', hint: expect.stringContaining('dlv sync') }],
    })
    // One statement asks all: counts are of all of them.
    const counted = 'select count(*) n, count(distinct profile) accounts from deliveries'
    expect((await query(counted)).data.rows).toEqual([{ n: 2, accounts: 2 }])
    const named = await query("select profile, status from problems where profile = :p union all select 'x', :n", {
      account: 'bolt',
      params: { p: 'acme', n: 3 },
    })
    expect(named.data.rows).toEqual([{ profile: 'x', status: 3 }])
    expect((await query('select profile from deliveries', { account: 'acme' })).data.rows).toEqual([
      { profile: 'acme' },
    ])
    for (const [sql, rest, message] of [
      ['select nope from deliveries', {}, 'no such column: nope'],
      ['delete from deliveries', {}, 'only reads'],
      ['select 1', { account: 'fresh' }, 'fresh: There is no archive'],
      ['select * from people', {}, 'no such table'],
      ['select :p', {}, 'needs a value for :p'],
    ] as const)
      expect(await query(sql, rest), sql).toMatchObject({
        isError: true,
        data: { error: { code: 'USAGE', message: expect.stringContaining(message) } },
      })
    expect(
      (await query('with recursive n(i) as (select 1 union all select i + 1 from n) select i from n')).data.more,
    ).toBe(true)
    const schema = await call('schema')
    expect(schema.data.values).toContain('a first column profile')
    const tool = (await client.listTools()).tools.find(({ name }) => name === 'query')
    expect(tool?.inputSchema.properties?.account).toMatchObject({ enum: ['acme', 'bolt', 'fresh'] })
    // The account of a profile that is another one now is not read any more.
    await cli.run(['profiles', 'remove', 'bolt', '--yes'])
    expect((await query('select distinct profile from deliveries')).data).toMatchObject({
      rows: [{ profile: 'acme' }],
      failed: [{ account: 'bolt' }, { account: 'fresh' }],
    })
  })

  it('change one account that is named, and take a yes for no other', async () => {
    const { cli, idOf } = await personWith('acme', 'bolt')
    const { call } = await connectAgent(cli, ['-P', 'acme,bolt'])
    for (const [tool, args] of [
      ['delivery_create', { order: order('NEW-1') }],
      ['delivery_cancel', { deliveryId: idOf('acme') }],
      ['delivery_update', { deliveryId: idOf('acme'), changes: { dropoff: { instructions: 'x' } } }],
      ['simulate', { deliveryId: idOf('acme'), to: 'delivered' }],
      ['sandbox_clock', { advance: '1h' }],
      ['event_replay', { eventIds: ['evt_1'], to: 'http://127.0.0.1:9/' }],
    ] as const)
      expect(await call(tool, args), tool).toMatchObject({
        isError: true,
        data: { error: { message: expect.stringContaining('account is missing') } },
      })
    // The same order can be previewed in both; each yes is for the account that it was asked for.
    const preview = await call('delivery_create', { account: 'acme', order: order('NEW-1') })
    expect(preview.data.confirmation.preview).toMatchObject({ account: 'acme' })
    const { token } = preview.data.confirmation
    const stolen = await call('delivery_create', { account: 'bolt', order: order('NEW-1'), confirm: token })
    expect(stolen).toMatchObject({ isError: true, data: { error: { code: 'NOT_CONFIRMED' } } })
    const created = await call('delivery_create', { account: 'acme', order: order('NEW-1'), confirm: token })
    expect(created.data).toMatchObject({ account: 'acme', status: 'accepted' })
    expect(await cli.json(['deliveries', 'list', '--ref', 'NEW-1', '-P', 'bolt'])).toEqual([])
    const cancelling = { deliveryId: 'SAME-1' }
    const asked = await call('delivery_cancel', { ...cancelling, account: 'bolt' })
    const confirm = asked.data.confirmation.token
    expect(await call('delivery_cancel', { ...cancelling, account: 'acme', confirm })).toMatchObject({ isError: true })
    expect(await statusOf(cli, 'acme', idOf('acme'))).toBe('accepted')
    const done = await call('delivery_cancel', { ...cancelling, account: 'bolt', confirm })
    expect(done.data).toMatchObject({ account: 'bolt', deliveryId: idOf('bolt'), status: 'cancelled' })
    expect(await statusOf(cli, 'acme', idOf('acme'))).toBe('accepted')
    expect(await call('simulate', { deliveryId: idOf('acme'), to: 'delivered', account: 'bolt' })).toMatchObject({
      isError: true,
    })
  })

  it('say whose webhook it is, and give resources and prompts an account', async () => {
    const { cli, idOf, secretOf } = await personWith('acme', 'bolt')
    const { client, call } = await connectAgent(cli, ['-P', 'acme,bolt'])
    const body = JSON.stringify(sampleEvent('delivery.delivered', { eventId: 'evt_1' }))
    const timestampSeconds = Math.floor(Date.now() / 1_000)
    const secrets = [secretOf('bolt')]
    const headers = signatureHeaders({ secrets, id: 'evt_1', timestampSeconds, body: Buffer.from(body) })
    expect((await call('webhook_explain', { headers, body })).data).toMatchObject({ ok: true, account: 'bolt' })
    expect((await call('webhook_explain', { headers, body, account: 'acme' })).data).toMatchObject({ ok: false })
    const read = async (uri: string) => {
      const { contents } = await client.readResource({ uri })
      return JSON.parse((contents[0] as { text: string }).text)
    }
    expect(await read(`dlv://delivery/${idOf('bolt')}`)).toMatchObject({ account: 'bolt', deliveryId: idOf('bolt') })
    expect(await read('dlv://delivery/SAME-1?account=acme')).toMatchObject({
      account: 'acme',
      deliveryId: idOf('acme'),
    })
    for (const uri of ['dlv://delivery/SAME-1', `dlv://delivery/${idOf('bolt')}?account=acme`])
      await expect(read(uri), uri).rejects.toThrow()
    const prompt = await client.getPrompt({
      name: 'investigate_delivery',
      arguments: { id: 'SAME-1', account: 'bolt' },
    })
    expect(prompt.messages[0]?.content).toMatchObject({
      text: expect.stringContaining('Give every tool the account "bolt".'),
    })
  })

  it('answer for the accounts that can, and name those that fail', async () => {
    const cli = createCli()
    await startAccounts(cli, { orders: 2 })
    const { call } = await connectAgent(cli, ['-P', 'acme-east,acme-west,revoked,broken'])
    const found = await call('deliveries_find')
    expect(found.isError).toBe(false)
    expect(found.data.deliveries).toHaveLength(4)
    expect(found.data.failed.map(({ account }: { account: string }) => account).toSorted()).toEqual([
      'broken',
      'revoked',
    ])
  })

  it('never write to production beside a sandbox, and offer no tool there that may not be', async () => {
    const service = await countingService()
    const { cli } = await personWith('acme')
    const words = ['profiles', 'add', 'live', '-e', 'production', '--base-url', service.baseUrl, '--api-key-stdin']
    await cli.run([...words, '--no-keychain'], { stdin: 'dlvk_live_1' })
    service.writes.length = 0
    const { client, call } = await connectAgent(cli, ['-P', 'acme,live'])
    const { tools } = await client.listTools()
    const create = tools.find(({ name }) => name === 'delivery_create')
    expect((create?.inputSchema.properties?.account as { enum: string[] }).enum).toEqual(['acme'])
    expect(await call('delivery_create', { account: 'live', order: order('X-1') })).toMatchObject({ isError: true })
    expect(service.writes).toEqual([])
    expect(await cli.run(['mcp', '-P', '*'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('would mix production (live)'),
    })
  })

  it('keep two accounts apart that have the same ids', async () => {
    const cli = createCli()
    const nowMs = Date.now()
    for (const name of ['one', 'other']) {
      const sandbox = await startSandbox({ seed: 7, clock: { now: () => nowMs }, rateLimit: 'off' })
      onTestFinished(() => sandbox.close())
      await create(sandbox, `OF-${name}`)
      const words = ['profiles', 'add', name, '-e', 'sandbox', '--base-url', sandbox.baseUrl, '--api-key-stdin']
      await cli.run([...words, '--no-keychain'], { stdin: sandbox.apiKey })
    }
    const { call } = await connectAgent(cli, ['-P', 'one,other', '--allow-writes'])
    const rows: { account: string; deliveryId: string }[] = (await call('deliveries_find')).data.deliveries
    const id = rows[0]?.deliveryId ?? ''
    expect(rows.map(({ account, deliveryId }) => [account, deliveryId]).toSorted()).toEqual([
      ['one', id],
      ['other', id],
    ])
    expect((await call('delivery_get', { deliveryId: id })).data.error).toMatchObject({ code: 'AMBIGUOUS' })
    expect((await call('delivery_get', { deliveryId: id, account: 'other' })).data).toMatchObject({
      clientOrderReference: 'OF-other',
    })
  })
})
