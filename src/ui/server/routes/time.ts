import { operationNames } from '../../../contract/index.js'
import { controlOf, type Route, type RouteCall } from '../route.js'

/** The parts of the control API that the screen reads. */
const parts = ['clock', 'schedule', 'outage', 'capacity', 'faults', 'switches', 'snapshots', 'magic']

/** The control requests that a page may make; they are passed on as they are. */
const changes = [
  '/clock',
  '/outage',
  '/capacity',
  '/faults',
  '/switches',
  '/snapshots/:name',
  '/snapshots/:name/restore',
]

export const timeRoutes: readonly Route[] = [
  { method: 'GET', path: '/time', handle: readTime },
  ...changes.map(
    (path): Route => ({
      method: 'POST',
      path: `/control${path}`,
      handle: ({ backend, parameters, body }) =>
        controlOf(backend)(
          'POST',
          path.replace(':name', () => encodeURIComponent(parameters.name ?? '')),
          body,
        ),
    }),
  ),
]

async function readTime({ backend }: RouteCall): Promise<Record<string, unknown>> {
  const control = controlOf(backend)
  const read = await Promise.all(parts.map(async (part) => [part, await control('GET', `/${part}`)] as const))
  return { ...Object.fromEntries(read), operations: operationNames }
}
