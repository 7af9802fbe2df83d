import { sleep } from '../shared/sleep.js'
import type { Clock } from './clock.js'

export type { Clock } from './clock.js'

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep,
}
