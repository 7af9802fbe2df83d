import type { Ground } from '../ground.ts'
import { cpuMsOf, flatness, inTurn, median, memoryOf, pairedRatio } from '../measure.ts'
import { type Outcome, type Plot, type Result, round } from '../result.ts'

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const connections = 64

/** The listener under load (verified, on disk, acknowledged), compared with Express and svix, which store nothing. */
export async function measureListener(ground: Ground): Promise<Outcome> {
  const environment = { DLV_WEBHOOK_SECRET: secret, DLV_NO_INPUT: '1' }
  const listener = await ground.startCommand(
    ground.dlv(['webhooks', 'listen', '--port', '0', '-o', 'ndjson'], environment),
  )
  ground.install('express@5.3.0')
  const express = await ground.start('express-svix.mjs', [], environment)
  const p99s: number[] = []
  let run = 0
  const load = async (url: unknown, count: number): Promise<{ perSecond: number; p99Ms: number; refused: number }> => {
    const words = [String(url), String(count), String(connections), `r${++run}`]
    const outcome = await ground.load('webhook-load.mjs', words, environment)
    const { perSecond, p99Ms, refused } = outcome as { perSecond: number; p99Ms: number; refused: number }
    if (refused > 0) throw new Error(`${refused} of ${count} events were refused`)
    return { perSecond, p99Ms, refused }
  }
  const count = ground.quick ? 8_000 : 40_000
  const cpuUs = { ours: [] as number[], theirs: [] as number[] }
  const timed = async (whose: keyof typeof cpuUs, { child, ready }: typeof listener) => {
    const before = cpuMsOf(child)
    const outcome = await load(ready.url, count)
    cpuUs[whose].push(((cpuMsOf(child) - before) * 1_000) / count)
    return outcome
  }
  const ours = async () => {
    const { perSecond, p99Ms } = await timed('ours', listener)
    p99s.push(p99Ms)
    return perSecond
  }
  const theirs = async () => (await timed('theirs', express)).perSecond
  const [our = [], their = []] = await inTurn(ground.quick ? 2 : 5, [ours, theirs])
  await ground.stop(express.child)
  const compared = pairedRatio(our, their)
  const cpu = (whose: keyof typeof cpuUs) => round(median(cpuUs[whose]), 0)
  const plots: Plot[] = []
  const results: Result[] = [
    {
      id: 'listener-rate',
      aim: `listener, ${connections} connections: verified, on disk, acknowledged`,
      bar: '≥ 10,000 per second, p99 < 12 ms',
      measured: `${round(median(our), 0).toLocaleString('en')} per second, p99 ${round(median(p99s), 1)} ms`,
      values: { perSecond: median(our), p99Ms: median(p99s) },
      met: median(our) >= 10_000 && median(p99s) < 12,
    },
    {
      id: 'listener-express',
      aim: 'the same vs. Express with the svix verifier, which stores nothing',
      bar: '≥ 1.1 ×',
      measured: `${round(compared.ratio)} × (${round(median(their), 0).toLocaleString('en')} per second there; CPU of an event ${cpu('ours')} µs vs. ${cpu('theirs')} µs)`,
      values: { ...compared, cpuUs: median(cpuUs.ours), theirCpuUs: median(cpuUs.theirs) },
      faster: 'larger',
      met: compared.ratio >= 1.1,
    },
  ]
  if (!ground.quick) {
    const samples: number[] = []
    const sampler = setInterval(() => samples.push(memoryOf(listener.child).resident), 100)
    for (let flood = 0; flood < 10; flood++) await load(listener.ready.url, 100_000)
    clearInterval(sampler)
    const growth = flatness(samples)
    results.push({
      id: 'listener-memory',
      aim: 'memory of the listener over a flood of a million events',
      bar: 'flat',
      measured: `peak ${round(Math.max(...samples) / 1e6, 0)} MB; last quarter ${round(growth)} × the second quarter`,
      values: { peakMb: Math.max(...samples) / 1e6, growth },
      met: growth < 1.25,
    })
    plots.push({
      file: 'listener-memory.svg',
      title: 'Memory of the listener over a million events',
      xLabel: 'seconds',
      yLabel: 'resident MB',
      logarithmic: false,
      series: [
        { label: 'dlv webhooks listen', points: samples.map((bytes, index) => ({ x: index / 10, y: bytes / 1e6 })) },
      ],
    })
  }
  await ground.stop(listener.child)
  return { results, plots }
}
