import { percentDecoded } from '../../shared/percent-decoded.js'
import type { Route } from './route.js'

/** The route of a path, with the named parts of the path; the allowed methods if only the method is wrong. */
export function findRoute(
  routes: readonly Route[],
  method: string,
  path: string,
): { route: Route; parameters: Record<string, string> } | { allowed: string[] } {
  const fitting = routes.flatMap((route) => {
    const parameters = matched(route.path, path)
    return parameters === undefined ? [] : [{ route, parameters }]
  })
  return fitting.find(({ route }) => route.method === method) ?? { allowed: fitting.map(({ route }) => route.method) }
}

function matched(pattern: string, path: string): Record<string, string> | undefined {
  const [wanted, given] = [pattern.split('/'), path.split('/')]
  if (wanted.length !== given.length) return undefined
  const parameters: Record<string, string> = {}
  for (const [index, part] of wanted.entries()) {
    const text = given[index] ?? ''
    if (part.startsWith(':')) {
      const value = percentDecoded(text)
      if (value === undefined || value === '') return undefined
      parameters[part.slice(1)] = value
    } else if (part !== text) return undefined
  }
  return parameters
}
