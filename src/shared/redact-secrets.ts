/** Replaces a key, a secret or a signature. */
export const redacted = '[redacted]'

const shapes: readonly [RegExp, string][] = [
  [/\bwhsec_[A-Za-z0-9+/=_-]+/g, `whsec_${redacted}`],
  [/\b(dlvk_(?:[a-z]+_)?)[A-Za-z0-9_-]+/g, `$1${redacted}`],
  [/\b(Bearer\s+)[^\s"',]+/gi, `$1${redacted}`],
  [/\bv1a?,[A-Za-z0-9+/]{20,}={0,2}/g, `v1,${redacted}`],
  // A path shows an address with one slash. The bounds keep the time linear.
  [/(:\/{1,2}[^\s/:@"']{0,200}):[^\s"']{1,500}@/g, `$1:${redacted}@`],
  // An address without a scheme: the word before the colon is no path, and what follows it no Windows one.
  [/((?:^|[\s"'(=])[^\s"'(=:@/]{1,200}):(?![\\/\s])[^\s"]{1,500}@/g, `$1:${redacted}@`],
  [/\b(password=)(?:'[^']{0,500}'|[^\s&"']+)/gi, `$1${redacted}`],
]

/** Removes what looks like an API key, a signing secret, a bearer token, a webhook signature or an address's password from a text. */
export function redactSecrets(text: string): string {
  return shapes.reduce((shown, [shape, replacement]) => shown.replace(shape, replacement), text)
}
