import { parseWebAddress } from '../../shared/web-address.js'
import { matchesStars } from '../../shared/word-match.js'

/** Routes events to `url`: all of them, or those whose type matches. */
export interface Route {
  /** The target: a whole `http:` or `https:` address. */
  url: string
  /** Exact types, or patterns such as `driver.*`. Default: every event. */
  eventTypes?: readonly string[]
  /** The account whose events go there. Default: each account that is listened for. */
  account?: string
}

/**
 * The same routes, once each target is known to be a whole address.
 *
 * @throws UsageError if a target is no address that events can be posted to.
 */
export function checkRoutes(routes: readonly Route[]): readonly Route[] {
  for (const [at, { url }] of routes.entries())
    parseWebAddress(url, routes.length === 1 ? 'The forward target' : `Forward target ${at + 1}`)
  return routes
}

/** The targets of an event, each once, in the order of the routes; every route that matches gets it. */
export function targetsOf(routes: readonly Route[], eventType: string | undefined, account?: string): string[] {
  const matching = routes.filter(
    (route) =>
      (route.account === undefined || route.account === account) &&
      (route.eventTypes === undefined || matchesType(route.eventTypes, eventType)),
  )
  return [...new Set(matching.map((route) => route.url))]
}

/** Whether an event's type is one of the patterns, such as `delivery.delivered` or `driver.*`. */
export function matchesType(patterns: readonly string[], eventType: string | undefined): boolean {
  return patterns.some((pattern) => matchesStars(pattern, eventType ?? ''))
}
