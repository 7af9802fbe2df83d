import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { newSecret, signatureHeaders } from '../../src/webhooks/index.js'
import { type Cli, createCli } from './cli/program.js'
import { jsonLines } from './json-lines.js'
import { startTestApp } from './listener/test-app.js'
import { postEvent, testEvent } from './listener/test-listener.js'
import { testOrder } from './orders.js'
import type { TestDatabase } from './postgres/database.js'
import { fc } from './samples.js'
import { type RotatingService, startRotatingService } from './sandbox/rotating-service.js'

const places = ['own', 'file', 'database'] as const
type Place = (typeof places)[number]

/** What happens to two accounts on a machine, whose profiles get new keys and names; a second machine has only the key. */
export type Step =
  | { kind: 'key'; profile: number; key: number }
  | { kind: 'remove' | 'rename' | 'sync' | 'copy' | 'copyElsewhere'; profile: number }
  | { kind: 'create' | 'createByVariable'; profile: number; order: number }
  | { kind: 'run'; profile: number; rows: number; isShared: boolean }
  | { kind: 'listen' | 'resend'; profile: number; place: Place; event: number }
  | { kind: 'rotate'; account: number }

const small = fc.nat(1)
const profile = small
const kinds = <Kind extends string>(...names: Kind[]) => fc.constantFrom(...names)

/** Each account has an order that it can be recognized by. */
const first: Step[] = [0, 1].map((at) => ({ kind: 'create', profile: at, order: 0 }))

export const drawnSteps: fc.Arbitrary<Step[]> = fc
  .array(
    fc.oneof(
      { weight: 2, arbitrary: fc.record({ kind: kinds('key'), profile, key: small }) },
      fc.record({ kind: kinds('remove', 'rename'), profile }),
      { weight: 2, arbitrary: fc.record({ kind: kinds('create', 'createByVariable'), profile, order: fc.nat(2) }) },
      { weight: 3, arbitrary: fc.record({ kind: kinds('sync', 'copy', 'copyElsewhere'), profile }) },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: kinds('run'),
          profile,
          rows: fc.integer({ min: 1, max: 2 }),
          isShared: fc.boolean(),
        }),
      },
      {
        weight: 3,
        arbitrary: fc.record({
          kind: kinds('listen', 'resend'),
          profile,
          place: fc.constantFrom(...places),
          event: small,
        }),
      },
      { weight: 2, arbitrary: fc.record({ kind: kinds('rotate'), account: small }) },
    ),
    { minLength: 10, maxLength: 16 },
  )
  .map((steps) => [...first, ...steps])

/** One account of the service, and what is known to be there of it. */
class DrawnAccount {
  readonly secret = newSecret()
  /** Its deliveries by their references; `undefined` where a run did not print the id. */
  readonly sent = new Map<string, string | undefined>()
  /** Its events by the place of the journal. */
  readonly received: Record<Place, Set<string>> = { own: new Set(), file: new Set(), database: new Set() }
  version = 0

  constructor(readonly number: number) {}

  get key() {
    return `key-${this.number}-${this.version}`
  }
  get person() {
    return `Person of ${this.number}`
  }
  get references() {
    return [...this.sent.keys()].sort()
  }
}

/** Carries the steps out as users do, and expects after each that no account lacks its own or sees another's. */
export class DrawnAccounts {
  private readonly accounts = [new DrawnAccount(0), new DrawnAccount(1)] as const
  /** The account of each profile, and its name. */
  private readonly held: (DrawnAccount | undefined)[] = [...this.accounts]
  private readonly names = ['one', 'two']

  private constructor(
    private readonly cli: Cli,
    private readonly elsewhere: Cli,
    private readonly service: RotatingService,
    private readonly app: Awaited<ReturnType<typeof startTestApp>>,
    private readonly database: TestDatabase,
  ) {}

  static async start(database: TestDatabase): Promise<DrawnAccounts> {
    const world = new DrawnAccounts(
      createCli(),
      createCli(),
      await startRotatingService(),
      await startTestApp(),
      database,
    )
    for (const account of world.accounts) {
      world.give(account)
      await world.add(account.number, account)
    }
    return world
  }

  private give(account: DrawnAccount) {
    this.service.give(account.key, ['marketplace', 'ownedfleet'][account.number] ?? '')
  }

  private add(at: number, account: DrawnAccount) {
    const flags = ['-e', 'sandbox', '--base-url', this.service.baseUrl, '--api-key-stdin', '--no-keychain']
    return this.cli.run(['profiles', 'add', this.names[at] ?? '', ...flags], { stdin: account.key })
  }

  private variables(account: DrawnAccount) {
    return { DLV_BASE_URL: this.service.baseUrl, DLV_API_KEY: account.key, DLV_ENVIRONMENT: 'sandbox' }
  }

  async take(step: Step): Promise<void> {
    if (step.kind === 'rotate') return this.rotate(this.accounts[step.account as 0 | 1])
    const account = this.held[step.profile]
    const name = this.names[step.profile] ?? ''
    if (step.kind === 'key') return this.changeKey(step.profile, this.accounts[step.key as 0 | 1])
    if (account === undefined) return
    switch (step.kind) {
      case 'remove':
        await this.cli.run(['profiles', 'remove', name, '--yes'])
        this.held[step.profile] = undefined
        return
      case 'rename':
        return this.rename(step.profile, name)
      case 'create':
        return this.create(account, `R-${step.order}`, ['-P', name])
      case 'createByVariable':
        return this.create(account, `R-${step.order}`, [], this.variables(account))
      case 'run':
        return this.bulkRun(account, name, step)
      case 'sync':
        return this.sync(this.cli, account, ['-P', name])
      case 'copy':
        return this.copy(this.cli, account, ['-P', name])
      case 'copyElsewhere':
        return this.copy(this.elsewhere, account, [], this.variables(account))
      case 'listen':
        return this.listen(account, name, step.place, `evt_${step.event}`)
      case 'resend':
        return this.resend(account, name, step.place, `evt_${step.event}`)
    }
  }

  private async changeKey(at: number, account: DrawnAccount) {
    this.held[at] = account
    await this.add(at, account)
  }

  /** As a user rotates: each profile of the account gets the new key. */
  private async rotate(account: DrawnAccount) {
    this.service.revoke(account.key)
    account.version++
    this.give(account)
    for (const [at, holder] of this.held.entries())
      if (holder === account) expect((await this.add(at, account)).stderr).not.toContain('new account')
  }

  private rename(at: number, name: string) {
    const next = name.endsWith('.x') ? name.slice(0, -2) : `${name}.x`
    const file = join(this.cli.home, '.config', 'dlv', 'config.json')
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(`"${name}"`, `"${next}"`))
    this.names[at] = next
  }

  private async create(account: DrawnAccount, reference: string, flags: string[], env: NodeJS.ProcessEnv = {}) {
    const words = ['deliveries', 'create', '--file', 'examples/order.json', '--ref', reference, '-q', ...flags]
    const ended = await this.cli.run([...words, '--set', `dropoff.contactName="${account.person}"`], { env })
    expect([reference, ended.exitCode, ended.stderr]).toEqual([reference, 0, expect.anything()])
    const before = account.sent.get(reference)
    if (before !== undefined) expect(ended.stdout.trim()).toBe(before)
    account.sent.set(reference, ended.stdout.trim())
  }

  /** Both accounts have runs of the same input, with results beside it or in the database. */
  private async bulkRun(account: DrawnAccount, name: string, { rows, isShared }: Step & { kind: 'run' }) {
    const references = Array.from({ length: rows }, (_, at) => `RUN-${at}`)
    const file = join(this.cli.home, `run-${rows}.ndjson`)
    const person = { ...testOrder('').dropoff, contactName: 'Somebody' }
    writeFileSync(file, references.map((one) => `${JSON.stringify(testOrder(one, { dropoff: person }))}\n`).join(''))
    const run = (results: string[]) =>
      this.cli.run(['deliveries', 'create', '--file', file, '-P', name, '-o', 'ndjson', ...results], {
        env: this.database.env,
      })
    let ended = await run(isShared ? ['--results', this.database.address] : [])
    if (ended.exitCode === 2) {
      expect([isShared, ended.stdout, ended.stderr]).toEqual([false, '', expect.stringContaining('of another account')])
      ended = await run(['--results', join(this.cli.home, `results-${account.number}-${rows}.ndjson`)])
    }
    expect([ended.exitCode, ended.stderr]).toEqual([0, expect.anything()])
    for (const reference of references) if (!account.sent.has(reference)) account.sent.set(reference, undefined)
  }

  private async sync(cli: Cli, account: DrawnAccount, flags: string[], env: NodeJS.ProcessEnv = {}) {
    expect(await cli.run(['sync', ...flags], { env })).toMatchObject({ exitCode: 0 })
    await this.expectOwn(cli, account, flags, env)
  }

  private async copy(cli: Cli, account: DrawnAccount, flags: string[], variables: NodeJS.ProcessEnv = {}) {
    const env = { ...variables, ...this.database.env }
    const to = ['--to', this.database.address]
    expect(await cli.run(['sync', ...flags, ...to], { env })).toMatchObject({ exitCode: 0 })
    await this.expectOwn(cli, account, [...flags, ...to], env)
  }

  private async expectOwn(cli: Cli, account: DrawnAccount, flags: string[], env: NodeJS.ProcessEnv) {
    const sql = `SELECT client_order_reference AS ref, contact_name AS person FROM deliveries d
      LEFT JOIN people p ON p.delivery_id = d.delivery_id ORDER BY 1`
    const rows = await cli.json<{ ref: string; person: string }[]>(['query', sql, '--people', ...flags], { env })
    expect(rows.map(({ ref }) => ref)).toEqual(account.references)
    for (const { ref, person } of rows)
      expect([ref, person]).toEqual([ref, ref.startsWith('RUN-') ? 'Somebody' : account.person])
  }

  private environment(place: Place): NodeJS.ProcessEnv {
    if (place === 'own') return {}
    const shared = place === 'file' ? join(this.cli.home, 'shared-journal.db') : this.database.address
    return { ...this.database.env, DLV_JOURNAL: shared }
  }

  private secretFile({ number, secret }: DrawnAccount): string {
    const file = join(this.cli.home, `${number}.secret`)
    writeFileSync(file, secret, { mode: 0o600 })
    return file
  }

  /** Both accounts have events of the same ids. */
  private async listen(account: DrawnAccount, name: string, place: Place, id: string) {
    const env = this.environment(place)
    const flags = ['-P', name, '--secret-file', this.secretFile(account), '-o', 'ndjson']
    const running = this.cli.start(['webhooks', 'listen', ...flags], { env })
    const { url } = JSON.parse(await running.line((line) => line.includes('"ready"')))
    expect(await postEvent(url, account.secret, this.eventOf(account, id))).toBe(200)
    await running.kill()
    account.received[place].add(id)
    const { stdout } = await this.cli.run(['webhooks', 'log', '-P', name, '-o', 'ndjson'], { env })
    expect(
      jsonLines(stdout)
        .map(({ eventId }) => eventId)
        .sort(),
    ).toEqual([...account.received[place]].sort())
  }

  private eventOf({ number }: DrawnAccount, id: string) {
    return testEvent(`del_event_of_${number}`, id)
  }

  private async resend(account: DrawnAccount, name: string, place: Place, id: string) {
    const words = [
      'webhooks',
      'resend',
      id,
      '-P',
      name,
      '--to',
      this.app.url,
      '--secret-file',
      this.secretFile(account),
    ]
    this.app.arrived.splice(0)
    const { exitCode, stderr } = await this.cli.run(words, { env: this.environment(place) })
    const isThere = account.received[place].has(id)
    expect([exitCode === 0, this.app.arrived.length], stderr).toEqual([isThere, isThere ? 1 : 0])
    for (const { headers, body } of this.app.arrived) {
      expect(body).toEqual(this.eventOf(account, id).body)
      const timestampSeconds = Number(headers['webhook-timestamp'])
      const signed = signatureHeaders({ secrets: [account.secret], id, body, timestampSeconds })
      expect(headers).toMatchObject(signed)
    }
  }

  /** What the service has is what was said to be there, of each account. */
  async expectNothingMissing(): Promise<void> {
    for (const account of this.accounts) {
      const env = this.variables(account)
      const listed = await this.cli.json<{ clientOrderReference: string }[]>(['deliveries', 'list', '--all'], { env })
      expect(listed.map(({ clientOrderReference }) => clientOrderReference).sort()).toEqual(account.references)
    }
  }
}
