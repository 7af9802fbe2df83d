import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { newSecret } from '../../src/webhooks/index.js'
import { createCli } from '../support/cli/program.js'
import { type Bug, startSmallApp } from '../support/scenarios/small-app.js'
import { until } from '../support/until.js'

const secret = newSecret()
const env = { DLV_WEBHOOK_SECRET: secret }

interface Report {
  scenario: string
  seed: number
  orders: number
  events: number
  expectations: { name: string; passed: boolean | null; detail: string }[]
  tookMs: number
}

const month = {
  name: 'a-short-month',
  seed: 11,
  duration: '30d',
  orders: { count: 20, outcomes: { failed: 0.1, returned: 0.1, cancelled: 0.1, expired: 0.05, reassigning: 0.1 } },
  steps: [
    { at: '5d', receiverOutage: '6h' },
    { at: '12d', rotateSecret: true },
  ],
  expect: ['finalState', 'eachEventOnce', 'staleRefused'],
}

const quarter = {
  name: 'a-quarter-of-a-day',
  duration: '6h',
  orders: { count: 6, outcomes: { failed: 0.5 } },
  expect: ['finalState', 'eachEventOnce', 'allAccepted'],
}

/** Plays against an app that may have a bug. */
async function play(words: readonly string[], bug?: Bug) {
  const [cli, app] = [createCli(), await startSmallApp(secret, bug)]
  const { exitCode, stdout, stderr } = await cli.run(['sandbox', 'play', ...words, ...app.flags, '-o', 'json'], { env })
  const report = (stdout === '' ? undefined : JSON.parse(stdout)) as Report
  return { app, exitCode, stderr, report, failed: report?.expectations.filter(({ passed }) => passed !== true) }
}

function scenarioFile(scenario: unknown, name = 'month.yaml'): string {
  const file = join(createCli().home, name)
  writeFileSync(file, typeof scenario === 'string' ? scenario : JSON.stringify(scenario))
  return file
}

describe('sandbox play', () => {
  it('plays a scenario that comes with it', async () => {
    const { exitCode, report, failed } = await play(['rotated-secret'])
    expect([exitCode, failed]).toEqual([0, []])
    expect(Object.keys(report)).toEqual(['scenario', 'seed', 'orders', 'events', 'expectations', 'tookMs'])
    expect(report).toMatchObject({ scenario: 'rotated-secret', seed: 4, orders: 100 })
    expect(report.events).toBeGreaterThan(report.orders)
  })

  it('moves a month with an outage, a rotation and every outcome', async () => {
    const { app, exitCode, report, failed } = await play([
      scenarioFile({ ...month, webhooks: { twice: 0.2, late: 0.3, stale: 1 } }),
    ])
    expect([exitCode, failed, report.orders]).toEqual([0, [], 20])
    expect(report.expectations.map(({ name }) => name)).toEqual(month.expect)
    const types = app.arrived.map(({ text }) => JSON.parse(text).eventType)
    for (const status of ['delivered', 'failed', 'returned', 'cancelled', 'expired', 'reassigning'])
      expect(types).toContain(`delivery.${status}`)
    // After the rotation, the new and the old secret sign.
    expect(new Set(app.arrived.map(({ signatures }) => signatures))).toEqual(new Set([1, 2]))
  })

  it.each<[Bug, string, string]>([
    ['dedup off', 'eachEventOnce', 'dedupe on eventId'],
    ['clock check off', 'staleRefused', 'more than 5 minutes off'],
    ['order ignored', 'finalState', 'order events by occurredAt'],
    ['first signature only', 'finalState', 'are wrong'],
  ])('finds an app with %s by %s', async (bug, name, advice) => {
    const { exitCode, failed } = await play([scenarioFile({ ...month, orders: { ...month.orders, count: 8 } })], bug)
    expect(exitCode).toBe(9)
    expect(failed.map((one) => one.name)).toContain(name)
    expect(failed.find((one) => one.name === name)?.detail).toContain(advice)
    if (bug !== 'first signature only') expect(failed).toHaveLength(1)
  })

  it('names the events that an app never accepts', async () => {
    const { failed } = await play([scenarioFile(quarter)], 'drops failures')
    const lost = failed.find(({ name }) => name === 'allAccepted')
    expect(lost?.detail).toMatch(/were given up: evt_\w+ \(answered 500\)/)
  })

  it('plays the same events with the same seed, and others with another', async () => {
    const file = scenarioFile({ ...month, duration: '9d', orders: { count: 4 }, steps: month.steps.slice(0, 1) })
    const run = async (seed: string) => {
      const { app, report } = await play([file, '--seed', seed])
      const { tookMs: _, ...rest } = report
      return { fingerprint: app.fingerprint(), report: rest }
    }
    const first = await run('7')
    expect(await run('7')).toEqual(first)
    expect((await run('8')).fingerprint).not.toBe(first.fingerprint)
  })

  it('passes nothing that it cannot observe, and says what is missing', async () => {
    const app = await startSmallApp(secret)
    const words = ['sandbox', 'play', scenarioFile(quarter), ...app.flags.slice(0, 2), '-o', 'json']
    const { exitCode, stdout } = await createCli().run(words, { env })
    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout).expectations).toMatchObject([
      { name: 'finalState', passed: null, detail: expect.stringContaining('--state-url') },
      { name: 'eachEventOnce', passed: null },
      { name: 'allAccepted', passed: true },
    ])
  })

  it('writes JUnit, and draws a card', async () => {
    const [cli, app] = [createCli(), await startSmallApp(secret, 'dedup off')]
    const junit = join(cli.home, 'play.xml')
    const words = ['sandbox', 'play', scenarioFile(quarter), ...app.flags, '--junit', junit]
    const { stdout } = await cli.run(words, { env, columns: 100 })
    expect(stdout).toContain('eachEventOnce')
    expect(stdout).toContain('1 expectation failed')
    const xml = readFileSync(junit, 'utf8')
    expect(xml).toContain('<testsuites tests="3" failures="1" errors="0" skipped="0"')
    expect(xml).toMatch(/name="eachEventOnce: [^"]+"><failure message="Wrong for/)
  })

  it('needs no app to show a scenario', async () => {
    const { exitCode, stderr, stdout } = await createCli().run(['sandbox', 'play', scenarioFile(quarter), '-o', 'json'])
    expect(exitCode).toBe(0)
    expect(stderr).toContain('No --target')
    expect(JSON.parse(stdout).expectations.every(({ passed }: { passed: unknown }) => passed === true)).toBe(true)
  })

  it('ends with Ctrl-C, and says nothing about it', async () => {
    const app = await startSmallApp(secret)
    const long = scenarioFile({ ...quarter, duration: '300d', orders: { count: 5_000 } })
    const running = createCli().start(['sandbox', 'play', long, ...app.flags], { env })
    await until('the first webhook', () => app.arrived.length > 0)
    const { exitCode, stdout, stderr } = await running.kill('SIGINT')
    expect([exitCode, stdout, stderr]).toEqual([130, '', ''])
  })

  it('leaves the sandbox of the profile alone', async () => {
    const cli = createCli()
    await cli.run(['sandbox', 'play', scenarioFile(quarter)])
    expect(await cli.json(['deliveries', 'list', '--from', '30d'])).toEqual([])
  })
})

describe('A scenario file', () => {
  const yaml = `
name: mine
duration: 3h # at noon
orders:
  count: 3
  template:
    dropoff: { contactName: Zoë Template }
steps:
  - at: 1h
    storm: { for: 30m }
  - at: 2h
    faults: [{ hooks: duplicate, times: 2 }]
expect: [finalState]
`

  it('is YAML, with a template for every order and a name of its own', async () => {
    const { app, exitCode, report } = await play([scenarioFile(yaml)])
    expect([exitCode, report.scenario, report.seed, report.orders]).toEqual([0, 'mine', 1, 3])
    const names = app.arrived.map(({ text }) => JSON.parse(text).delivery.dropoff.contactName)
    expect(new Set(names)).toEqual(new Set(['Zoë Template']))
  })

  it.each([
    [{ ...month, colour: 'red' }, 'colour is not a field'],
    [{ ...month, orders: { ...month.orders, outcomes: { lost: 0.1 } } }, 'orders.outcomes'],
    [
      { ...month, orders: { ...month.orders, outcomes: { failed: 0.6, returned: 0.6 } } },
      'orders.outcomes adds up to 1.2',
    ],
    [{ ...month, orders: {} }, 'orders needs either count or perDay'],
    [{ ...month, duration: 'a month' }, 'duration: must be a duration'],
    [{ ...month, steps: [{ at: '31d', rotateSecret: true }] }, 'steps.0.at: 31d is after the end'],
    [{ ...month, steps: [{ at: '1d' }] }, 'steps.0: must have "at" and one of'],
    [{ ...month, steps: [{ at: '1d', receiverOutage: 6 }] }, 'steps.0.receiverOutage'],
    [{ ...month, expect: ['noBugs'] }, 'expect.0'],
    ['name: [unclosed', 'month.yaml: '],
    ['just text', 'expected an object'],
  ])('with a mistake is refused, and the mistake is named: %#', async (scenario, text) => {
    const { exitCode, stderr } = await play([scenarioFile(scenario)])
    const error = JSON.parse(stderr).error as { message: string }
    expect([exitCode, error.message]).toEqual([2, expect.stringContaining(text)])
  })

  it.each([
    [['nothing-of-the-kind'], 'ordinary-day, rush-hour, receiver-outage, rotated-secret, storm'],
    [['strom'], 'Did you mean \\"storm\\"'],
    [['missing.yaml'], 'missing.yaml'],
    [[], 'ordinary-day'],
    [['storm', '--target', 'localhost'], '--target'],
    [['storm', '--target', 'http://localhost:1', '--state-url', 'http://localhost:1/state'], '{deliveryId}'],
  ])('that is none is exit 2: %s', async (words, text) => {
    const { exitCode, stderr } = await createCli().run(['sandbox', 'play', ...words, '-o', 'json'], { env })
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(text)])
  })

  it('has the JSON Schema that is published', async () => {
    const { stdout } = await createCli().run(['sandbox', 'play', '--schema'])
    expect(JSON.parse(stdout)).toEqual(JSON.parse(readFileSync('docs/scenario.schema.json', 'utf8')))
    expect(JSON.parse(stdout).required).toEqual(['name', 'duration', 'orders'])
  })
})
