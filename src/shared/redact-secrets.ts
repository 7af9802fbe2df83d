/** Replaces a key, a secret or a signature. */
export const redacted = '[redacted]'

const shapes: readonly [RegExp, string][] = [
  [/\b(whsec(?:_|%5f))[A-Za-z0-9+/=_%-]+/gi, `$1${redacted}`],
  [/\b(dlvk(?:_|%5f)(?:[a-z]+(?:_|%5f))?)[A-Za-z0-9_%-]+/gi, `$1${redacted}`],
  // The same in base64.
  [/(?:d2hzZWNf|ZGx2a1)[A-Za-z0-9+/_-]{4,}={0,2}/g, redacted],
  [/\b(Bearer\s+)[^\s"',]+/gi, `$1${redacted}`],
  [/\bv1a?,[A-Za-z0-9+/]{20,}={0,2}/g, `v1,${redacted}`],
  // A path shows an address with one slash. The bounds keep the time linear.
  [/(:\/{1,2}[^\s/:@"']{0,200}):[^\s"']{1,500}@/g, `$1:${redacted}@`],
  // An address without a scheme: the word before the colon is no path, and what follows it no Windows one.
  [/((?:^|[\s"'(=])[^\s"'(=:@/]{1,200}):(?![\\/\s])[^\s"]{1,500}@/g, `$1:${redacted}@`],
  [/\b(password=)(?:'[^']{0,500}'|[^\s&"']+)/gi, `$1${redacted}`],
]

/** Characters that no screen shows: they split a secret for a pattern, and for nobody who reads it. */
const invisible =
  /\u001b\[[\d;]{0,16}[A-Za-z]|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b-\u200f\u2060-\u2064\ufeff]/g

/** Removes what looks like an API key, a signing secret, a bearer token, a webhook signature or an address's password from a text. */
export function redactSecrets(text: string): string {
  return shapes.reduce((shown, [shape, replacement]) => shown.replace(shape, replacement), text.replace(invisible, ''))
}
