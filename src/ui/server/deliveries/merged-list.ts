import { isRecord, tryParseJson } from '../../../shared/json.js'
import { sleep } from '../../../shared/sleep.js'
import { sentence } from '../../../shared/texts.js'
import type { ListPage } from '../../wire/list.js'
import type { MissingAccount } from '../../wire/session.js'
import type { PlacedPage, PlacedRow } from '../backend.js'
import type { RouteCall } from '../route.js'
import { listAsked } from './list.js'

/** How long what is new of one account is waited for, which holds back the others. */
const patienceMs = 1_500

/** What is left of an account's list. */
interface Rest {
  account: string
  rows: PlacedRow[]
  /** Number of its rows that are on the page. */
  taken: number
  page: PlacedPage
}

const noPage: PlacedPage = { rows: [], next: null, total: 0, asOf: null }

/**
 * A page of the deliveries of several accounts as one list. What an account has in its archive is listed although nothing
 * new can be read of it; the page names the account then.
 */
export async function readLists(calls: readonly RouteCall[]): Promise<ListPage> {
  const [first] = calls
  const { after, ...asked } = listAsked(first?.query ?? new URLSearchParams())
  const places = after === undefined ? {} : placesOf(after)
  const missing: MissingAccount[] = []
  const pages = calls.map(async ({ account = '', backend }): Promise<Rest> => {
    const place = places[account]
    if (place === null) return { account, rows: [], taken: 0, page: noPage }
    const query = { ...asked, after: place === undefined ? undefined : JSON.stringify(place) }
    const fresh = backend.list(query)
    const late = 'It has not answered yet.'
    const page = await Promise.race([fresh, sleep(patienceMs).then(() => late)]).catch((error: unknown) =>
      sentence(error instanceof Error ? error.message : String(error)),
    )
    if (typeof page !== 'string') return { account, rows: page.rows, taken: 0, page }
    fresh.catch(() => {})
    missing.push({ account, message: page })
    // Nothing was ever read of an account without an archive.
    const old = await backend.list({ ...query, isStale: true }).catch(() => noPage)
    return { account, rows: old.rows, taken: 0, page: old }
  })
  const rests = await Promise.all(pages)
  const rows: ListPage['rows'] = []
  while (rows.length < asked.limit) {
    const next = firstOf(rests, asked.isDescending)
    if (next === undefined) break
    const { place: _, ...row } = next.rows[next.taken++] as PlacedRow
    rows.push({ ...row, account: next.account })
  }
  const ends = rests.map(({ page }) => page.asOf).filter((at) => at !== null)
  return {
    rows,
    next: nextOf(rests, places),
    total: after === undefined ? rests.reduce((sum, { page }) => sum + (page.total ?? 0), 0) : null,
    asOf: ends.sort()[0] ?? null,
    missing,
  }
}

/** The account whose row comes next in the list. */
function firstOf(rests: readonly Rest[], isDescending: boolean): Rest | undefined {
  let first: Rest | undefined
  for (const rest of rests) {
    const [mine, best] = [rest.rows[rest.taken]?.place, first?.rows[first.taken]?.place]
    if (mine === undefined) continue
    if (best === undefined || isDescending === comesAfter(mine, best)) first = rest
  }
  return first
}

function comesAfter(one: PlacedRow['place'], other: PlacedRow['place']): boolean {
  return one[0] === other[0] ? one[1] > other[1] : one[0] > other[0]
}

type Places = Record<string, PlacedRow['place'] | null | undefined>

/** The place to continue after in each account's list; `null` at the end of all of them. */
function nextOf(rests: readonly Rest[], before: Places): string | null {
  const places = rests.map(({ account, rows, taken, page }): [string, Places[string]] => {
    if (taken === rows.length && page.next === null) return [account, null]
    return [account, rows[taken - 1]?.place ?? before[account]]
  })
  return places.every(([, place]) => place === null) ? null : JSON.stringify(Object.fromEntries(places))
}

/** Places that the page gives back as they were told; the beginning for any other text. */
function placesOf(text: string): Places {
  const value = tryParseJson(text)?.value
  return isRecord(value) ? (value as Places) : {}
}
