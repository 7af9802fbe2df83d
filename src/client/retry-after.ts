/** A date as HTTP writes it; nothing that merely looks like a number or a year. */
export function parseHttpDate(text: string): number | undefined {
  if (!/^[A-Za-z]{3,9},? .*\d{2}:\d{2}:\d{2}/.test(text)) return undefined
  const atMs = Date.parse(text)
  return Number.isNaN(atMs) ? undefined : atMs
}

/**
 * The delay that `Retry-After` asks for, in milliseconds: whole or fractional seconds, or a date. A date is measured
 * against the answer's own `Date` if there is one, so that a clock that is off by minutes does not turn a short
 * wait into none or into an hour.
 *
 * @returns undefined where the header is absent or unreadable; 0 for a date that has passed
 */
export function parseRetryAfter(
  value: string | null,
  times: { nowMs: number; dateHeader?: string | null },
): number | undefined {
  const text = value?.trim() ?? ''
  if (/^\d{1,10}(?:\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1_000)
  const atMs = parseHttpDate(text)
  if (atMs === undefined) return undefined
  const fromMs = parseHttpDate(times.dateHeader ?? '') ?? times.nowMs
  return Math.max(0, atMs - fromMs)
}
