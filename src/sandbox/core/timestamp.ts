/** Times that were written lately: a request writes the same one several times, and a list those of the list before. */
const slots = 1_024
const writtenMs = new Float64Array(slots).fill(Number.NaN)
const written = new Array<string>(slots).fill('')

/** Milliseconds since the epoch as the service writes a time: UTC with milliseconds. */
export function timestamp(atMs: number): string {
  const slot = Math.abs(Math.trunc(atMs)) % slots
  if (writtenMs[slot] === atMs) return written[slot] ?? ''
  const text = new Date(atMs).toISOString()
  writtenMs[slot] = atMs
  written[slot] = text
  return text
}
