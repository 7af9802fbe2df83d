import type { Route } from '../../listener/index.js'

/**
 * The targets of a listener: `--forward-to` as URL or TYPE=URL, and the routes of the project file. `shown` limits the
 * routes without a type.
 */
export function parseRoutes(
  targets: readonly string[],
  projectRoutes: Readonly<Record<string, string>>,
  shown: readonly string[] | undefined,
): Route[] {
  const given = targets.map((target): Route => {
    const [, type, url] = /^([a-z_*]+(?:\.[a-z_*]+)?)=(https?:.*)$/.exec(target) ?? []
    return type === undefined || url === undefined ? { url: target, eventTypes: shown } : { url, eventTypes: [type] }
  })
  const fromProject = Object.entries(projectRoutes).map(
    ([type, url]): Route => (type === '*' ? { url, eventTypes: shown } : { url, eventTypes: [type] }),
  )
  return given.length > 0 ? given : fromProject
}
