import { UsageError } from '../../contract/index.js'
import { matchesStars } from '../../shared/star-pattern.js'

/** Where events go: to `url`, all of them or those whose type matches. */
export interface Route {
  /** The target: a whole `http:` or `https:` address. */
  url: string
  /** Exact types, or with a star, as in `driver.*`; every event unless given. */
  eventTypes?: readonly string[]
}

/**
 * The same routes, once each target is known to be a whole address.
 *
 * @throws UsageError if a target is no address that events can be posted to.
 */
export function checkRoutes(routes: readonly Route[]): readonly Route[] {
  for (const { url } of routes) {
    const protocol = URL.canParse(url) ? new URL(url).protocol : undefined
    if (protocol === 'http:' || protocol === 'https:') continue
    throw new UsageError(`Events cannot be forwarded to "${url}"`, {
      hint: 'Give a whole URL, such as http://localhost:3000/hooks.',
    })
  }
  return routes
}

/** The targets of an event, each once, in the order of the routes; every route that matches gets it. */
export function targetsOf(routes: readonly Route[], eventType: string | undefined): string[] {
  const matching = routes.filter((route) => route.eventTypes === undefined || matchesType(route.eventTypes, eventType))
  return [...new Set(matching.map((route) => route.url))]
}

/** Whether an event's type is one of the patterns, such as `delivery.delivered` or `driver.*`. */
export function matchesType(patterns: readonly string[], eventType: string | undefined): boolean {
  return patterns.some((pattern) => matchesStars(pattern, eventType ?? ''))
}
