/** Whether a word may hold a password, as addresses and connection strings do. */
export function mayHoldPassword(word: string): boolean {
  return /:\/\/|@|password=/i.test(word)
}

/** A word of the command line in quotes, cut; one that may hold a password is not repeated. */
export function quoted(word = ''): string {
  return mayHoldPassword(word) ? 'an address, which may hold a password' : JSON.stringify(word.slice(0, 80))
}
