/** Quotes a text so that a shell reads it as one word, and a terminal that it is pasted into obeys none of it. */
export function shellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text
  if (!/\p{Cc}/u.test(text)) return `'${text.replaceAll("'", "'\\''")}'`
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  return `$'${text.replaceAll(/[\\']/g, '\\$&').replaceAll(/\p{Cc}/gu, escaped)}'`
}
