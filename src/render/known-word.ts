/**
 * What a table says of a word that came over the wire; nothing where the table has no such word, not even of
 * `constructor` and the like, which every object would answer to.
 */
export function known<Value>(table: Readonly<Record<string, Value>>, word: string): Value | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined
}
