/**
 * Looks up a value from the wire in a table; `undefined` if the table does not have it. Never finds inherited names
 * such as `constructor`.
 */
export function known<Value>(table: Readonly<Record<string, Value>>, word: string): Value | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined
}
