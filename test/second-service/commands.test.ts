import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import manifest from '../../oclif.manifest.json' with { type: 'json' }
import { createCli } from '../support/cli/program.js'
import { startTestApp } from '../support/listener/test-app.js'
import { connectAgent } from '../support/mcp/agent.js'
import {
  allLiberties,
  anOrder,
  describeWithPython,
  type SecondService,
  startSecondService,
} from '../support/second-service/service.js'
import { until } from '../support/until.js'

/** How a command is run against the service; words in capitals, such as `ID`, stand for what the account holds. */
interface Row {
  /** The command's own words unless told. */
  words?: string[]
  /** 0 unless told. */
  exit?: number
  /** What people read of it. */
  says?: RegExp
  /** What nobody may read, because the service did not say it. */
  never?: RegExp
  /** For a command that runs until it is stopped: it is, once it has printed this. */
  until?: string
}

const stop = [
  '--store',
  'MAIN-ST',
  '--to',
  '12 Elm St, Atlanta, GA 30303',
  '--name',
  'Ann Lee',
  '--phone',
  '+14045550100',
]
const fourth = ['-e', 'sandbox', '--base-url', 'URL', '--api-key-file', 'KEY', '--no-keychain']

/** The commands that reach the account or what came from it. */
const rows: Record<string, Row> = {
  api: { words: ['api', 'GET', '/deliveries/ID'], says: /held/ },
  capabilities: { says: /marketplace/, never: /quotes|returns|requests/i },
  'deliveries:board': { words: ['deliveries', 'board', '--once'], says: /held/i },
  'deliveries:cancel': { words: ['deliveries', 'cancel', 'id:ID', '--yes'], says: /cancelled/, never: /free|fee/ },
  'deliveries:create': { words: ['deliveries', 'create', ...stop, '--ref', 'NEW', '--yes'], says: /held/, never: /\$/ },
  'deliveries:get': { words: ['deliveries', 'get', 'DONE'], says: /delivered/, never: /●\s*$/m },
  'deliveries:list': { says: /held/ },
  'deliveries:open': { words: ['deliveries', 'open', 'ID'], exit: 4 },
  'deliveries:proof': { words: ['deliveries', 'proof', 'DONE'], says: /video/ },
  'deliveries:update': {
    words: ['deliveries', 'update', 'id:ID', '--instructions', 'Ring twice', '--yes'],
    says: /held/,
  },
  'deliveries:watch': { words: ['deliveries', 'watch', 'DONE'], says: /delivered/ },
  drift: { exit: 9, says: /deliver/ },
  doctor: { exit: 9, says: /key +accepted: marketplace/, never: /\? requests/ },
  'drivers:get': { words: ['drivers', 'get', 'UNIT.1', '-P', 'fleet'], says: /Imke/, never: /\+1404555|van/ },
  'drivers:list': { words: ['drivers', 'list', '-P', 'fleet'], says: /Imke.*on_leave/, never: /\+1404555|van/ },
  'events:list': { says: /held/, never: /arrived|delivered +\d/ },
  'events:replay': { words: ['events', 'replay', '--to', 'APP'], says: /delivered +200/ },
  'events:tail': { words: ['events', 'tail', '--since', '1h'], until: 'delivered' },
  explain: { words: ['explain', 'DONE'], says: /proof of delivery/ },
  health: { exit: 9, says: /degraded/ },
  'installations:check': { words: ['installations', 'check', 'AB-CLOUD'], says: /Cannot be served: drawbridge_up/ },
  'installations:get': {
    words: ['installations', 'get', 'FT-ALDER'],
    says: /Fort Alder/,
    never: /permit|accept|prohib/i,
  },
  'installations:list': { says: /Fort Alder/, never: /\b(?:yes|no)\b/ },
  'profiles:add': { words: ['profiles', 'add', 'fourth', ...fourth], says: /The key works/, never: /requests/ },
  query: { words: ['query', 'select status from deliveries'], says: /held/ },
  'quotes:create': { words: ['quotes', 'create', ...stop], says: /11\.50 CAD/, never: /\$/ },
  report: { words: ['report', '--from', '1d'] },
  simulate: { words: ['simulate', 'id:ID', '--to', 'delivered'], says: /delivered/ },
  sync: { says: /deliver/ },
  'teams:list': { words: ['teams', 'list', '-P', 'fleet'], says: /team-north/, never: /\b\d/ },
  'webhooks:gaps': { says: /proof_of_delivery_added/, exit: 9 },
  'webhooks:listen': { words: ['webhooks', 'listen', '--pull', '--since', '1h'], until: 'delivered' },
  'webhooks:log': { says: /delivered/ },
  'webhooks:resend': { words: ['webhooks', 'resend', '--to', 'APP'], says: /delivered/ },
  'webhooks:status': { says: /Waiting/ },
}

/** The commands that do not read what a service says, by the reason. */
const exempt: Record<string, RegExp> = {
  'control the embedded sandbox; a remote account is refused': /^sandbox:/,
  'work on files of this machine':
    /^(?:__complete|agent:.*|alias:.*|completion|deliveries:map|deliveries:results|deliveries:template)$/,
  'show or change settings': /^(?:profiles:(?:list|remove|secrets:.*|show|trust|use)|webhooks:targets:.*)$/,
  'print what the package holds': /^(?:openapi|webhooks:receiver)$/,
  'send samples of their own': /^webhooks:(?:send|sign|test|verify)$/,
  'run on a sandbox of their own': /^tour$/,
  'serves tools, which agents call below': /^mcp$/,
  'serves the page, whose screens page.test.ts opens': /^ui$/,
}

describe('the table of commands', () => {
  it('has every command of the manifest, or the reason why not', () => {
    const reasons = Object.values(exempt)
    const missing = Object.keys(manifest.commands).filter(
      (id) => Object.hasOwn(rows, id) === reasons.some((pattern) => pattern.test(id)),
    )
    expect(missing).toEqual([])
  })
})

describeWithPython('a service that somebody else wrote', () => {
  const cli = createCli(afterAll)
  const places: Record<string, string> = {}
  let service: SecondService
  let all: string[]
  let journals = 0

  beforeAll(async () => {
    service = await startSecondService()
    all = allLiberties()
    places.URL = service.url
    places.KEY = join(cli.home, 'key')
    writeFileSync(places.KEY, service.keys.sandbox, { mode: 0o600 })
    return service.close
  })

  /** Accounts that take all liberties, with three orders of a quarter of an hour ago, of which one is delivered, and a journal. */
  async function prepare(id: string) {
    service.addProfiles(cli)
    // The service counts its ids from the start again, which a journal has for the same events.
    cli.env.DLV_JOURNAL = join(cli.home, `journal-${journals++}`)
    await service.control('all', { reset: true })
    await service.control('all', { liberties: all })
    const { ids } = await service.control('sandbox', { orders: ['R1', 'R2', 'R3'].map(anOrder), ago: 900 })
    await service.control('sandbox', { advance: { deliveryId: ids[1], to: 'delivered' } })
    Object.assign(places, { ID: ids[0], DONE: ids[1] })
    if (id === 'query') expect((await cli.run(['sync'])).exitCode).toBe(0)
    if (id.startsWith('webhooks:') && id !== 'webhooks:listen')
      await runsUntil(['webhooks', 'listen', '--pull', '--since', '1h'], 'delivered')
  }

  const wordsOf = (id: string, app: string) =>
    (rows[id]?.words ?? id.split(':')).map((word) =>
      word.replace(/\b(?:ID|DONE|APP|URL|KEY)\b/g, (name) => (name === 'APP' ? app : (places[name] ?? name))),
    )

  it.each(Object.keys(rows))('is read by %s', async (id) => {
    const { exit = 0, says = /./, never = /(?!)/, until: printed } = rows[id] ?? {}
    await prepare(id)
    const { url } = await startTestApp()
    if (printed !== undefined) return runsUntil(wordsOf(id, url), printed)
    const shown = await cli.run(wordsOf(id, url), { columns: 120 })
    const people = { ...shown, stdout: stripVTControlCharacters(shown.stdout) }
    if (id !== 'api') expect(people.stdout).not.toMatch(/\b(?:null|undefined|NaN|Invalid|DEFECT)\b|bug in dlv|\[object/)
    expect(people.exitCode, people.stdout).toBe(exit)
    expect(people.stdout).toMatch(says)
    expect(people.stdout).not.toMatch(never)
    await prepare(id)
    const program = await cli.run([...wordsOf(id, url), '--json'])
    expect(program.exitCode, program.stderr).toBe(exit)
    // A command that waits for an end that was there before has nothing to print.
    if (program.stdout !== '') expect(() => JSON.parse(program.stdout)).not.toThrow()
  })

  async function runsUntil(words: string[], text: string) {
    const running = cli.start(words)
    await running.hasPrinted(text)
    const { exitCode, stdout, stderr } = await running.kill('SIGINT')
    expect(stdout + stderr).not.toMatch(/\b(?:undefined|NaN|DEFECT)\b|bug in dlv|\[object/)
    expect([0, 130], stderr).toContain(exitCode)
  }

  it('adds tips to quotes in the currency of the service', async () => {
    await prepare('deliveries:create')
    const file = join(cli.home, 'tips.ndjson')
    const orders = ['TIP-1', 'TIP-2'].map((reference) => ({ ...anOrder(reference), tipAmountCents: 250 }))
    writeFileSync(file, orders.map((order) => JSON.stringify(order)).join('\n'))
    const { exitCode, stderr } = await cli.run(['deliveries', 'create', '--file', file, '--max-total', '1'])
    expect(exitCode, stderr).toBe(9)
    expect(stderr).toMatch(/Quotes and tips cost \d+\.\d\d CAD, above/)
  })

  it('is read by every tool of an agent', async () => {
    await prepare('webhooks:log')
    const app = await startTestApp()
    const agent = await connectAgent(cli, ['--allow-writes'], { answer: () => 'accept' })
    const { ID: id = '', DONE: done = '' } = places
    const [event] = (await service.control('sandbox')).events
    const order = anOrder('AGENT')
    const calls: Record<string, Record<string, unknown>> = {
      whoami: {},
      delivery_get: { deliveryId: done },
      deliveries_find: { from: '1h', problem: true },
      query: { sql: 'select status from deliveries' },
      schema: {},
      events_find: { since: '1h' },
      webhook_explain: { headers: {}, body: '{}' },
      webhook_gaps: { since: '1h' },
      serviceability_check: { dropoff: { installation: { code: 'AB-CLOUD' }, address: order.dropoff.address } },
      quote_create: { order },
      explain: { code: 'failed' },
      doctor: {},
      report: { from: '1h' },
      delivery_create: { order },
      delivery_update: { deliveryId: `id:${id}`, changes: { tipAmountCents: 300 } },
      delivery_cancel: { deliveryId: `id:${id}` },
      event_replay: { eventIds: [event?.id], to: app.url },
    }
    const { tools } = await agent.client.listTools()
    const failed: string[] = []
    for (const { name, inputSchema } of tools) {
      const args = calls[name]
      if (args === undefined) {
        expect(['simulate', 'receiver_test'], inputSchema.required?.join()).toContain(name)
        continue
      }
      const { isError, text } = await agent.call(name, args)
      if (isError || /\b(?:undefined|NaN|DEFECT)\b|\[object|bug in dlv/.test(text)) failed.push(`${name}: ${text}`)
    }
    expect(failed).toEqual([])
  })

  it('is never silently empty for a list by installation: orders from here are known, of the others it is said', async () => {
    await prepare('deliveries:list')
    // The service forgets everything below and counts its ids from the start again, which an archive cannot know.
    let person = createCli()
    service.addProfiles(person)
    const list = async (code: string) => {
      const words = ['deliveries', 'list', '--from', '1h', '--installation', code, '--jq', '.[].deliveryId']
      const { stdout, stderr, exitCode } = await person.run(words)
      return { found: stdout.split('\n').filter(Boolean).length, stderr, exitCode }
    }
    const none = await list('FT-ALDER')
    expect(none).toMatchObject({ found: 0, exitCode: 9 })
    expect(none.stderr).toContain('The service names no installation in the 3 deliveries that were read')
    const create = ['deliveries', 'create', ...stop, '--yes', '--ref']
    expect((await person.run([...create, 'POST', '--installation', 'FT-ALDER'])).exitCode).toBe(0)
    expect((await person.run([...create, 'TOWN'])).exitCode).toBe(0)
    const some = await list('FT-ALDER')
    expect(some).toMatchObject({ found: 1, exitCode: 9 })
    expect(some.stderr).toContain('so nobody can tell where 3 of the 5 deliveries went')
    await service.control('all', { reset: true })
    person = createCli()
    service.addProfiles(person)
    expect((await person.run([...create, 'POST-2', '--installation', 'FT-ALDER'])).exitCode).toBe(0)
    expect(await list('FT-ALDER')).toMatchObject({ found: 1, exitCode: 0, stderr: '' })
    const moved = ['deliveries', 'update', 'POST-2', '--no-installation', '--instructions', 'Ring', '--yes']
    expect((await person.run(moved)).exitCode).toBe(0)
    expect(await list('FT-ALDER')).toMatchObject({ found: 0, exitCode: 0 })
  })

  it.each(['sandbox:reset', 'sandbox:clock', 'sandbox:seed'])('is not controlled by %s', async (id) => {
    await prepare(id)
    const { exitCode, stderr } = await cli.run([...id.split(':'), ...(id === 'sandbox:reset' ? ['--yes'] : [])])
    expect(exitCode).toBe(2)
    expect(stderr).toContain('did not prove that it is your sandbox')
    await until('its orders are there', async () => (await service.control('sandbox')).deliveries.length === 3)
  })
})
