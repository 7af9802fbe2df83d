import { plainValue } from './plain-text.js'

/** An object as `path<TAB>value` lines, nested objects by dotted paths, arrays as JSON: a card for a pipe. */
export function fieldLines(value: unknown): string[] {
  const lines: string[] = []
  collect(value, '', lines)
  return lines
}

function collect(value: unknown, path: string, lines: string[]): void {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    for (const [name, member] of Object.entries(value)) collect(member, path === '' ? name : `${path}.${name}`, lines)
    return
  }
  lines.push(path === '' ? plainValue(value) : `${plainValue(path)}\t${plainValue(value)}`)
}
