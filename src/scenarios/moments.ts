import type { Courier } from './courier.js'
import type { Played } from './expectations.js'
import { type Scenario, type ScenarioStep, spanMs } from './scenario.js'

/** Something that happens at a moment of the scenario, in virtual time. */
export interface Moment {
  atMs: number
  act(): Promise<void> | void
}

/** The means by which moments affect the app and the service. */
export interface Stage {
  startMs: number
  courier: Courier
  /** Filled with the outages of the scenario. */
  outages: Played['outages']
  rotate(): Promise<void>
  setFaults(rules: readonly unknown[]): Promise<void>
}

/** Everything that happens besides orders: the steps, and the stale webhooks spread over the period. */
export function momentsOf(scenario: Scenario, stage: Stage): Moment[] {
  const { courier, startMs } = stage
  const { twice, late, stale } = scenario.webhooks
  courier.disturbance = { twice, late }
  const count = scenario.expect.includes('staleRefused') ? Math.max(1, stale) : stale
  const durationMs = spanMs(scenario.duration)
  const staleMoments = Array.from({ length: count }, (_, index) => ({
    atMs: startMs + ((index + 0.5) / count) * durationMs,
    act() {
      courier.staleWanted++
    },
  }))
  return [...staleMoments, ...scenario.steps.flatMap((step) => stepMoments(step, stage))]
}

function stepMoments(step: ScenarioStep, stage: Stage): Moment[] {
  const atMs = stage.startMs + spanMs(step.at)
  const { receiverOutage, rotateSecret, storm, faults = [] } = step
  if (receiverOutage !== undefined) return outageMoments(atMs, atMs + spanMs(receiverOutage), stage)
  if (storm !== undefined) return stormMoments(atMs, storm, stage)
  if (rotateSecret) return [{ atMs, act: stage.rotate }]
  return [{ atMs, act: () => stage.setFaults(faults) }]
}

function outageMoments(fromMs: number, toMs: number, { courier, outages }: Stage): Moment[] {
  outages.push({ fromMs, toMs })
  const update = (nowMs: number) => () => {
    courier.isOut = outages.some((outage) => outage.fromMs <= nowMs && nowMs < outage.toMs)
  }
  return [
    { atMs: fromMs, act: update(fromMs) },
    { atMs: toMs, act: update(toMs) },
  ]
}

function stormMoments(atMs: number, storm: NonNullable<ScenarioStep['storm']>, { courier }: Stage): Moment[] {
  const usual = courier.disturbance
  return [
    {
      atMs,
      act() {
        courier.disturbance = { twice: storm.twice, late: storm.late }
        courier.staleWanted += storm.stale
      },
    },
    {
      atMs: atMs + spanMs(storm.for),
      act() {
        courier.disturbance = usual
      },
    },
  ]
}
