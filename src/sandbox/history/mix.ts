import type { ScriptedOutcome } from '../core/outcomes.js'

/** The kinds of period that a history can have. */
export const mixes = ['typical', 'bad-day', 'holiday'] as const
export type Mix = (typeof mixes)[number]

/** How a delivery of a history turns out, beyond its ordinary course. */
export type Course =
  /** Scripted for the autopilot. */
  | { kind: 'outcome'; outcome: ScriptedOutcome }
  /** The merchant cancels this many minutes after creation. */
  | { kind: 'cancelled'; afterMinutes: readonly [least: number, most: number] }
  /** Nobody takes it at first; the merchant's update so many minutes later has it dispatched again. */
  | { kind: 'recovers'; afterMinutes: readonly [least: number, most: number] }

interface CourseShare {
  /** Of all deliveries, from 0 to 1. */
  share: number
  course: Course
}

interface MixRules {
  /** Deliveries of an average day, against those of a typical one. */
  volume: number
  /** The factor by which trips take longer than usual. */
  delayFactor: number
  courses: readonly CourseShare[]
}

const failures: readonly [share: number, outcome: ScriptedOutcome][] = [
  [0.012, 'recipient_unavailable'],
  [0.004, 'recipient_refused'],
  [0.005, 'address_not_found'],
  [0.003, 'address_inaccessible'],
  [0.002, 'package_damaged'],
  [0.002, 'weather_or_road_closure'],
  [0.002, 'age_verification_failed'],
]

const troubles: readonly [share: number, course: Course][] = [
  [0.035, { kind: 'outcome', outcome: 'reassigning' }],
  [0.012, { kind: 'recovers', afterMinutes: [4, 15] }],
  [0.006, { kind: 'outcome', outcome: 'no_carrier_available' }],
  [0.018, { kind: 'cancelled', afterMinutes: [2, 18] }],
  [0.006, { kind: 'outcome', outcome: 'cancelled_by_carrier' }],
  [0.004, { kind: 'outcome', outcome: 'cancelled_by_recipient' }],
]

function courses(failureFactor: number, troubleFactor: number): CourseShare[] {
  return [
    ...failures.map(([share, outcome]) => ({
      share: share * failureFactor,
      course: { kind: 'outcome', outcome } as const,
    })),
    ...troubles.map(([share, course]) => ({ share: share * troubleFactor, course })),
  ]
}

export const mixRules: Readonly<Record<Mix, MixRules>> = {
  typical: { volume: 1, delayFactor: 1, courses: courses(1, 1) },
  'bad-day': { volume: 1, delayFactor: 1.2, courses: courses(3, 3) },
  holiday: { volume: 1.5, delayFactor: 1.08, courses: courses(1.2, 1.3) },
}

/** The course for a number in [0, 1); `undefined` for the ordinary one. */
export function courseFor(mix: Mix, fraction: number): Course | undefined {
  let sum = 0
  for (const { share, course } of mixRules[mix].courses) {
    sum += share
    if (fraction < sum) return course
  }
  return undefined
}
