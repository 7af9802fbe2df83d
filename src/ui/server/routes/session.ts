import { isRecord } from '../../../shared/json.js'
import type { Clock, Session } from '../../wire/session.js'
import type { Backend } from '../backend.js'
import type { Route } from '../route.js'

export const sessionRoutes: readonly Route[] = [
  { method: 'GET', path: '/session', handle: ({ backend }) => sessionOf(backend) },
]

async function sessionOf(backend: Backend): Promise<Session> {
  const { version, profile, environment, service, command, readOnly, control, journal, listener } = backend
  return {
    version,
    profile,
    environment,
    service,
    command,
    readOnly,
    hasControl: control !== undefined,
    hasJournal: journal !== undefined || listener !== undefined,
    listenerUrl: listener?.url ?? null,
    hasTrackingPages: backend.hasTrackingPages(),
    clock: await clockOf(backend),
  }
}

/** The sandbox's clock, or this machine's if the service has none that can be read. */
export async function clockOf({ control, client, nowMs }: Backend): Promise<Clock> {
  const real = new Date(nowMs()).toISOString()
  if (control === undefined) return { now: new Date(client.serviceNowMs() ?? nowMs()).toISOString(), scale: 1, real }
  const clock = await control('GET', '/clock')
  if (!isRecord(clock)) return { now: real, scale: 1, real }
  return { now: String(clock.now), scale: Number(clock.scale), real }
}
