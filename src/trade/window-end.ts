import { isRecord } from '../shared/json.js'

/**
 * The end of a window, completed from its start: ISO 8601 lets `2026-11-24T20:00Z/22:00Z` leave out the date that is the
 * same, and the zone, which both ends may lack. What is not only a time stays as it is.
 */
export function windowEnd(start: string, end: string): string {
  const [, date, zone] = /^\s*(\d{4}-\d{2}-\d{2}[T ])\d{2}:\d{2}\S*?(Z|[+-]\d{2}:\d{2})?\s*$/i.exec(start) ?? []
  const [, time, own] = /^\s*(\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(Z|[+-]\d{2}:\d{2})?\s*$/i.exec(end) ?? []
  return date === undefined || time === undefined ? end : `${date}${time}${own ?? zone ?? ''}`
}

/** An order, or a change of one, whose windows may end with only a time, such as `22:00Z`, on the day of their start. */
export function withWindowEnds(order: Record<string, unknown>): Record<string, unknown> {
  const { timeWindows } = order
  if (!isRecord(timeWindows)) return order
  const whole = Object.entries(timeWindows).map(([stop, window]) => {
    if (!isRecord(window) || typeof window.start !== 'string' || typeof window.end !== 'string') return [stop, window]
    return [stop, { ...window, end: windowEnd(window.start, window.end) }]
  })
  return { ...order, timeWindows: Object.fromEntries(whole) }
}
