/** A text for comparison: case, width and runs of spaces do not matter. */
export function foldedText(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim()
}
