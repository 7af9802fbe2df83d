import type { Session } from '../../wire/session.js'
import type { Backend } from '../backend.js'
import { clockOf, machineClock } from '../clock.js'
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
    // Without its clock, the page still says which account it is.
    clock: await clockOf(backend).catch(() => machineClock(backend)),
  }
}
