/** C0, DEL, C1 and bidirectional controls: characters that could steer a terminal or disguise text. */
const controls = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** Text from elsewhere made safe for a message: controls become `\u001b`-style escapes. */
export function escapeControls(text: string): string {
  return text.replace(controls, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** A word such as a request id, which most of what is quoted is. */
const isPlain = /^[\x21-\x7e]*$/

/** The beginning of a body in one short line, white space collapsed and controls escaped. */
export function excerpt(body: Uint8Array | string, maxLength = 120): string {
  if (typeof body === 'string' && body.length <= maxLength && isPlain.test(body)) return body
  const head = typeof body === 'string' ? body.slice(0, 2_000) : new TextDecoder().decode(body.subarray(0, 2_000))
  const line = escapeControls(head.replace(/\s+/g, ' ').trim())
  return line.length > maxLength ? `${line.slice(0, maxLength - 1)}…` : line
}
