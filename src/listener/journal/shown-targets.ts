import { shownUrl } from '../../shared/web-address.js'
import type { Backlog } from './reader.js'

/** What waits, by targets as they are shown: those that differ in a user or a query only are one. */
export function shownBacklog(backlog: readonly Backlog[]): Backlog[] {
  const shown = new Map<string, Backlog>()
  for (const { url, count, oldestSeconds } of backlog) {
    const name = shownUrl(url)
    const known = shown.get(name)
    shown.set(name, {
      url: name,
      count: count + (known?.count ?? 0),
      oldestSeconds: Math.max(oldestSeconds, known?.oldestSeconds ?? 0),
    })
  }
  return [...shown.values()]
}

/** The URLs that an address stands for: itself, or those that are shown like it. */
export function urlsShownAs(address: string, known: readonly string[]): string[] {
  return known.includes(address) ? [address] : known.filter((url) => shownUrl(url) === shownUrl(address))
}
