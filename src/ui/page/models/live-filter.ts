import type { LiveItem } from '../../wire/live.js'

export interface LiveFilter {
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

/** The lines that fit, newest first. */
export function filteredItems(items: readonly LiveItem[], filter: LiveFilter): LiveItem[] {
  return items.filter((item) => fits(item, filter)).reverse()
}

function fits(item: LiveItem, { words, kind, status, type }: LiveFilter): boolean {
  if (kind !== '' && item.kind !== kind) return false
  if (status !== '' && item.outcome !== status) return false
  if (type !== '' && item.title !== type) return false
  if (words.length === 0) return true
  const { title, reference, deliveryId, eventId, requestId, detail } = item
  const text = [item.kind, title, item.status, reference, deliveryId, eventId, requestId, detail]
    .join(' ')
    .toLowerCase()
  return words.every((word) => text.includes(word))
}

/** The event types among the lines, and the one that is chosen, in order. */
export function eventTypesOf(items: readonly LiveItem[], chosen: string): string[] {
  const types = new Set(items.filter(({ kind }) => kind !== 'request' && kind !== 'rejected').map(({ title }) => title))
  if (chosen !== '') types.add(chosen)
  return [...types].sort()
}
