/** The text with a full stop, unless it is a whole sentence already. */
export function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}
