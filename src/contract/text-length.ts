/** Length in Unicode code points. */
export function codePointLength(text: string): number {
  return text.replace(/[\u{10000}-\u{10ffff}]/gu, '_').length
}
