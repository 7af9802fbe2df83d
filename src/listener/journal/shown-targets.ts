import { shownUrl } from '../../shared/web-address.js'
import type { Backlog, GivenUp } from './reader.js'

/** Pending events by displayed target: targets that differ only in user or query are counted together. */
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

/** The URLs that an address stands for: itself, or those that are shown like it. */
export function urlsShownAs(address: string, known: readonly string[]): string[] {
  return known.includes(address) ? [address] : known.filter((url) => shownUrl(url) === shownUrl(address))
}
