/** Length in Unicode code points. */
export function codePointLength(text: string): number {
  let length = 0
  for (const _ of text) length++
  return length
}
