/** A date as HTTP writes it; nothing that merely looks like a number or a year. */
export function parseHttpDate(text: string): number | undefined {
  if (!/^[A-Za-z]{3,9},? .*\d{2}:\d{2}:\d{2}/.test(text)) return undefined
  const atMs = Date.parse(text)
  return Number.isNaN(atMs) ? undefined : atMs
}
