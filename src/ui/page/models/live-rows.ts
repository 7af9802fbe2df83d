import { type LiveItem, liveKinds, type Outcome } from '../../wire/live.js'

export const rowKinds = ['event', 'request', 'rejected'] as const
type RowKind = (typeof rowKinds)[number]

/** One row of the stream: an event with everything that became of it, a request, or a webhook that was turned away. */
export interface LiveRow {
  /** Stays the same while more of its lines arrive. */
  key: string
  /** The profile of its account, if the page shows several. */
  account: string | undefined
  kind: RowKind
  at: string
  /** As its line's. */
  placeMs: number
  title: string
  /** The worst of its lines. */
  outcome: Outcome
  deliveryId?: string | undefined
  reference?: string | undefined
  eventId?: string | undefined
  /** In the order of their arrival. */
  lines: readonly LiveItem[]
  /** The first event that a request caused. */
  caused?: LiveRow
}

const severity: readonly Outcome[] = ['neutral', 'good', 'warn', 'bad']

/** The rows of the stream in the order in which each first arrived, oldest first. */
export function rowsOf(items: readonly LiveItem[]): LiveRow[] {
  const rows = new Map<string, LiveRow & { lines: LiveItem[] }>()
  /** Requests that changed a delivery and have not been followed by an event of it. */
  const causes = new Map<string, LiveRow>()
  for (const item of items) {
    const { account, kind, eventId, deliveryId } = item
    // Two accounts may have the same ids.
    const of = (id: string) => (account === undefined ? id : `${account} ${id}`)
    const isOfEvent = kind !== 'request' && eventId !== undefined && (kind !== 'rejected' || rows.has(of(eventId)))
    const key = isOfEvent ? of(eventId) : `line ${item.id}`
    const known = rows.get(key)
    if (known === undefined) {
      const row = {
        ...{ key, at: item.at, placeMs: item.placeMs, title: item.title, outcome: item.outcome },
        ...{ account, deliveryId, reference: item.reference, eventId },
        kind: isOfEvent ? ('event' as const) : kind === 'request' ? ('request' as const) : ('rejected' as const),
        lines: [item],
      }
      rows.set(key, row)
      noteCause(row, causes)
      continue
    }
    known.lines.push(item)
    // A webhook may be received before its event is read; the row has the event's own time.
    if (kind === 'event') Object.assign(known, { at: item.at, placeMs: item.placeMs })
    known.deliveryId ??= deliveryId
    known.reference ??= item.reference
    known.outcome = worstOf(known)
  }
  return [...rows.values()]
}

/** An event is caused by the request that changed its delivery just before it. */
function noteCause(row: LiveRow, causes: Map<string, LiveRow>): void {
  const { account, kind, deliveryId: id, title, outcome } = row
  if (id === undefined) return
  const deliveryId = `${account ?? ''} ${id}`
  if (kind === 'request' && title.startsWith('POST ') && outcome === 'good') causes.set(deliveryId, row)
  else if (kind === 'event') {
    const request = causes.get(deliveryId)
    if (request !== undefined) request.caused = row
    causes.delete(deliveryId)
  }
}

/** The worst outcome among the newest line of each step: what was retried and then arrived is good. */
function worstOf({ lines }: LiveRow): Outcome {
  const newest = new Map(lines.map((line) => [stepKey(line), line.outcome]))
  return [...newest.values()].reduce((worst, one) => (severity.indexOf(one) > severity.indexOf(worst) ? one : worst))
}

/**
 * Attempts at one receiver, and forwards to one target, each supersede the one before. Their details begin with the URL,
 * as `src/ui/server/feed/items.ts` writes them.
 */
function stepKey({ kind, detail = '' }: LiveItem): string {
  return `${kind} ${kind === 'attempt' || kind === 'forward' ? detail.split(/: |; /)[0] : ''}`
}

/** The lines of a row as one thing leads to the next. */
export function stepsOf({ lines }: LiveRow): LiveItem[] {
  return lines.toSorted((one, other) => liveKinds.indexOf(one.kind) - liveKinds.indexOf(other.kind))
}

/** The newest of each step that an event took: sent, received, forwarded. */
export function chainOf(row: LiveRow): LiveItem[] {
  const steps = stepsOf(row).filter(({ kind }) => kind !== 'event')
  return [...new Map(steps.map((step) => [stepKey(step), step])).values()]
}

interface LiveFilter {
  words: readonly string[]
  kind: string
  status: string
  type: string
}

/** The filter of an address. */
export function filterOf(query: URLSearchParams): LiveFilter {
  return {
    words: (query.get('q') ?? '')
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== ''),
    kind: query.get('kind') ?? '',
    status: query.get('status') ?? '',
    type: query.get('type') ?? '',
  }
}

/** The rows that fit, newest first: what is read of the past arrives order by order, and each line then takes its place. */
export function filteredRows(rows: readonly LiveRow[], filter: LiveFilter): LiveRow[] {
  // Of one moment, the last to arrive comes first.
  const found = rows.filter((row) => fits(row, filter)).reverse()
  return found.sort((one, other) => other.placeMs - one.placeMs)
}

function fits(row: LiveRow, { words, kind, status, type }: LiveFilter): boolean {
  if (kind !== '' && row.kind !== kind) return false
  if (status !== '' && row.outcome !== status) return false
  if (type !== '' && row.title !== type) return false
  if (words.length === 0) return true
  const texts = row.lines.map(({ title, status, reference, deliveryId, eventId, requestId, detail }) =>
    [title, status, reference, deliveryId, eventId, requestId, detail].join(' '),
  )
  const text = [row.kind, ...texts].join(' ').toLowerCase()
  return words.every((word) => text.includes(word))
}

/** The event types among the rows, and the one that is chosen, in order. */
export function eventTypesOf(rows: readonly LiveRow[], chosen: string): string[] {
  const types = new Set(rows.filter(({ kind }) => kind === 'event').map(({ title }) => title))
  if (chosen !== '') types.add(chosen)
  return [...types].sort()
}
