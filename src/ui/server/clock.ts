import { isRecord } from '../../shared/json.js'
import type { Clock } from '../wire/session.js'
import type { Backend } from './backend.js'

/** This machine's clock. */
export function machineClock({ nowMs }: Pick<Backend, 'nowMs'>): Clock {
  const real = new Date(nowMs()).toISOString()
  return { now: real, scale: 1, real }
}

/**
 * The service's clock: a sandbox's by its control, which knows how fast it runs and answers also while the sandbox plays an
 * outage. This machine's if the service has none that can be read.
 */
export async function clockOf({ control, client, nowMs, serviceNowMs }: Backend): Promise<Clock> {
  const machine = machineClock({ nowMs })
  if (control === undefined) {
    const atMs = await serviceNowMs().catch(() => client.serviceNowMs() ?? nowMs())
    return { ...machine, now: new Date(atMs).toISOString() }
  }
  const clock = await control('GET', '/clock')
  if (!isRecord(clock)) return machine
  return { now: String(clock.now), scale: Number(clock.scale), real: machine.real }
}

/** The service's time in milliseconds since the epoch. */
export async function serviceNowMs(backend: Backend): Promise<number> {
  return Date.parse((await clockOf(backend)).now)
}
