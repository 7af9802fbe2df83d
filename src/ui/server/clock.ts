import { isRecord } from '../../shared/json.js'
import type { Clock } from '../wire/session.js'
import type { Backend } from './backend.js'

const briefly = { timeoutMs: 5_000, retries: { maxRetries: 0 } }

/** This machine's clock. */
export function machineClock({ nowMs }: Pick<Backend, 'nowMs'>): Clock {
  const real = new Date(nowMs()).toISOString()
  return { now: real, scale: 1, real }
}

/** The sandbox's clock, or this machine's if the service has none that can be read. */
export async function clockOf({ control, client, nowMs }: Backend): Promise<Clock> {
  const machine = machineClock({ nowMs })
  if (control === undefined) {
    // Any answer has the service's time; this one is asked for only if there was none yet.
    if (client.serviceNowMs() === undefined) await client.getCapabilities({}, briefly).catch(() => {})
    return { now: new Date(client.serviceNowMs() ?? nowMs()).toISOString(), scale: 1, real: machine.real }
  }
  const clock = await control('GET', '/clock')
  if (!isRecord(clock)) return machine
  return { now: String(clock.now), scale: Number(clock.scale), real: machine.real }
}

/** The service's time in milliseconds since the epoch. */
export async function serviceNowMs(backend: Backend): Promise<number> {
  return Date.parse((await clockOf(backend)).now)
}
