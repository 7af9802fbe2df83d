/** What acts on a terminal or is not seen there, such as marks of direction, which let a command read as another one. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

/**
 * Quotes a text so that a shell reads it as one word, a terminal that it is pasted into obeys none of it, and a reader
 * sees all of it.
 */
export function shellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text
  if (!unseen.test(text)) return `'${text.replaceAll("'", "'\\''")}'`
  const escaped = (character: string) => {
    const hex = (character.codePointAt(0) ?? 0).toString(16)
    return hex.length > 4 ? `\\U${hex.padStart(8, '0')}` : `\\u${hex.padStart(4, '0')}`
  }
  return `$'${text.replaceAll(/[\\']/g, '\\$&').replaceAll(new RegExp(unseen, 'gu'), escaped)}'`
}
