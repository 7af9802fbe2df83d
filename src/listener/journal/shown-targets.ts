import { targetName } from '../../shared/target-name.js'
import type { Backlog, GivenUp } from './reader.js'

/** Pending events by the name of their target. */
export function shownBacklog(backlog: readonly Backlog[]): Backlog[] {
  const shown = new Map<string, Backlog>()
  for (const { url, count, oldestSeconds } of backlog) {
    const name = targetName(url)
    const known = shown.get(name)
    shown.set(name, {
      url: name,
      count: count + (known?.count ?? 0),
      oldestSeconds: Math.max(oldestSeconds, known?.oldestSeconds ?? 0),
    })
  }
  return [...shown.values()]
}

/** Given-up events by displayed target; see `shownBacklog`. */
export function shownGivenUp(givenUp: readonly GivenUp[]): GivenUp[] {
  const backlog = givenUp.map((one) => ({ ...one, oldestSeconds: 0 }))
  return shownBacklog(backlog).map(({ url, count }) => ({ url, count }))
}

/** Which of these URLs is the same address, however it is spelt. */
export function sameUrls(address: string, known: readonly string[]): string[] {
  const wanted = new URL(address).href
  return known.filter((url) => URL.canParse(url) && new URL(url).href === wanted)
}
