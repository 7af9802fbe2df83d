/** The values of NDJSON. */
export function jsonLines<Value = ReturnType<typeof JSON.parse>>(text: string): Value[] {
  const lines = text.trim().split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line))
}
