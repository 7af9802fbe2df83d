import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { newSecret } from '../../src/webhooks/index.js'
import { createCli } from '../support/cli/program.js'
import { type Bug, startSmallApp } from '../support/scenarios/small-app.js'

const secret = newSecret()
const env = { DLV_WEBHOOK_SECRET: secret }

async function play(scenario: string, bug?: Bug) {
  const [cli, app] = [createCli(), await startSmallApp(secret, bug)]
  const { exitCode, stdout } = await cli.runProcess(['sandbox', 'play', scenario, ...app.flags, '-o', 'json'], { env })
  const report = JSON.parse(stdout)
  const failed = report.expectations.filter(({ passed }: { passed: boolean | null }) => passed !== true)
  return { exitCode, report, failed: failed.map(({ name }: { name: string }) => name), fingerprint: app.fingerprint() }
}

describe('The scenarios that come with dlv', () => {
  it.each([
    'ordinary-day',
    'rush-hour',
    'receiver-outage',
    'rotated-secret',
    'storm',
  ])('fail nothing in an app that makes no mistake: %s', async (name) => {
    const { exitCode, failed } = await play(name)
    expect([exitCode, failed]).toEqual([0, []])
  })
})

describe('A month with 2,000 orders, an outage and a rotation', () => {
  const month = () => {
    const file = join(createCli().home, 'month.json')
    const scenario = {
      name: 'month',
      seed: 42,
      duration: '30d',
      orders: { count: 2_000, outcomes: { failed: 0.05, returned: 0.03, cancelled: 0.04, expired: 0.01 } },
      steps: [
        { at: '5d', receiverOutage: '6h' },
        { at: '12d', rotateSecret: true },
      ],
      expect: ['finalState', 'eachEventOnce', 'staleRefused'],
    }
    writeFileSync(file, JSON.stringify(scenario))
    return file
  }

  it('passes, and the same seed gives the same events', async () => {
    const first = await play(month())
    console.log(`${first.report.events} events in ${first.report.tookMs} ms`)
    expect([first.exitCode, first.failed, first.report.orders]).toEqual([0, [], 2_000])
    expect((await play(month())).fingerprint).toBe(first.fingerprint)
  })

  it.each<[Bug, string]>([
    ['dedup off', 'eachEventOnce'],
    ['clock check off', 'staleRefused'],
    ['order ignored', 'finalState'],
  ])('finds %s by %s', async (bug, name) => {
    expect((await play(month(), bug)).failed).toEqual([name])
  })
})
