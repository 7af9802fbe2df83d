/** Milliseconds since the epoch as the service writes a time: UTC with milliseconds. */
export function timestamp(atMs: number): string {
  return new Date(atMs).toISOString()
}

export const secondMs = 1_000
export const minuteMs = 60 * secondMs
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs
