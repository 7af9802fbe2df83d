import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { examineReceiver, junitOf, newSecret, type Rule } from '../../../src/webhooks/index.js'
import { type ReceiverFault, startTestReceiver } from '../../support/webhooks/faulty-receiver.js'

const secret = newSecret()
const brokenRule: Record<ReceiverFault, Rule> = {
  'no check': 'signature',
  'parse first': 'raw_body',
  'no dedupe': 'dedupe',
  'no tolerance': 'tolerance',
  slow: 'in_time',
  '500 on unknown types': 'open_contract',
  'order by arrival': 'order',
  'first signature only': 'rotation',
  'small body limit': 'large_events',
}

describe('A conformance test', () => {
  it.each([
    'outcome header',
    'outcome body',
    'state',
  ] as const)('passes a correct receiver that shows %s', async (shows) => {
    const { url, stateUrl } = await startTestReceiver({ secret, shows })
    const report = await examineReceiver({ url, secret, timeScale: 1e6, ...(shows === 'state' ? { stateUrl } : {}) })
    expect(report.faults).toEqual([])
    expect(report.passed).toBe(true)
    expect(report.cases.filter(({ verdict }) => verdict !== 'passed')).toEqual([])
    expect(report.cases.length).toBeGreaterThan(25)
  })

  it.each(Object.keys(brokenRule) as ReceiverFault[])('finds the fault "%s" and no other', async (fault) => {
    const { url } = await startTestReceiver({ secret, fault, shows: 'outcome header' })
    const limit = fault === 'slow' ? { answerWithinMs: 250 } : {}
    const { faults, passed } = await examineReceiver({ url, secret, concurrency: 8, ...limit })
    expect(faults.map(({ rule }) => rule)).toEqual([brokenRule[fault]])
    expect(passed).toBe(false)
    expect(faults[0]?.advice).toMatch(/.{20}/)
  })

  it.each(['no dedupe', 'order by arrival'] as const)('finds "%s" by the state alone', async (fault) => {
    const { url, stateUrl } = await startTestReceiver({ secret, fault, shows: 'state' })
    const { faults } = await examineReceiver({ url, stateUrl, secret })
    expect(faults.map(({ rule }) => rule)).toEqual([brokenRule[fault]])
  })

  it('calls what a receiver does not show not observable, and does not pass it off as good', async () => {
    const { url } = await startTestReceiver({ secret, fault: 'no dedupe', shows: 'nothing' })
    const report = await examineReceiver({ url, secret })
    expect(report.notObservable).toEqual(['dedupe', 'order'])
    expect(report.cases.find(({ id }) => id === 'duplicate')).toMatchObject({
      verdict: 'not_observable',
      reason: expect.stringContaining('dlv-outcome'),
    })
  })

  it('plays all 8 attempts of the schedule, and finds a receiver that processes more than one', async () => {
    const { url } = await startTestReceiver({ secret, fault: 'no dedupe', shows: 'outcome header' })
    const { cases } = await examineReceiver({ url, secret, timeScale: 1e6 })
    expect(cases.find(({ id }) => id === 'schedule')).toMatchObject({ verdict: 'failed', rule: 'dedupe' })
  })

  it('judges nothing else where a plain event is refused', async () => {
    const { url } = await startTestReceiver({ secret: newSecret(), shows: 'nothing' })
    const { faults, cases } = await examineReceiver({ url, secret })
    expect(faults).toMatchObject([{ rule: 'takes_events', reason: expect.stringContaining('401') }])
    expect(cases.slice(1).every(({ verdict }) => verdict === 'not_judged')).toBe(true)
  })

  it('says that nothing listens, and that nothing answers', async () => {
    const { url } = await startTestReceiver({ secret, shows: 'nothing' })
    const unused = url.replace(/:\d+/, ':1')
    expect((await examineReceiver({ url: unused, secret })).faults).toMatchObject([
      { rule: 'takes_events', reason: expect.stringContaining('nothing is listening on http://127.0.0.1:1') },
    ])
    const mute = await startMuteServer()
    expect((await examineReceiver({ url: mute, secret, answerWithinMs: 50 })).faults).toMatchObject([
      { rule: 'in_time', reason: expect.stringContaining('no response') },
    ])
  })
})

describe('the JUnit report', () => {
  it('counts failures and skipped cases, and escapes what a receiver says', async () => {
    const { url } = await startTestReceiver({ secret, fault: '500 on unknown types', shows: 'nothing' })
    const report = await examineReceiver({ url: `${url}?a=1&b="<2>"`, secret })
    const xml = junitOf(report)
    expect(xml).toContain(`tests="${report.cases.length}" failures="1" errors="0" skipped="2"`)
    expect(xml).toContain('a=1&amp;b=&quot;&lt;2&gt;&quot;')
    expect(xml).toMatch(/<testcase classname="open_contract" name="unknown-type: .*"><failure message="it answered 500/)
    expect(xml.match(/<testcase /g)).toHaveLength(report.cases.length)
  })
})

async function startMuteServer(): Promise<string> {
  const server = createServer(() => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}
