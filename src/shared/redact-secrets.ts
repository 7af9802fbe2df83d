/** Replaces a key, a secret or a signature. */
export const redacted = '[redacted]'

const shapes: readonly [RegExp, string][] = [
  [/\b(whsec(?:_|%5f))[A-Za-z0-9+/=_%-]+/gi, `$1${redacted}`],
  [/\b(dlvk(?:_|%5f)(?:[a-z]+(?:_|%5f))?)[A-Za-z0-9_%-]+/gi, `$1${redacted}`],
  // The same in base64.
  [/(?:d2hzZWNf|ZGx2a1)[A-Za-z0-9+/_-]{4,}={0,2}/g, redacted],
  [/\b(Bearer\s+)[^\s"',]+/gi, `$1${redacted}`],
  [/\bv1a?,[A-Za-z0-9+/]{20,}={0,2}/g, `v1,${redacted}`],
  [/\b(password=)(?:'[^']{0,500}'|[^\s&"']+)/gi, `$1${redacted}`],
]

/** Characters that are invisible on a screen: they split a secret for a pattern, but not for a reader. */
const invisible =
  /\u001b\[[\d;]{0,16}[A-Za-z]|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b-\u200f\u2060-\u2064\ufeff]/g

/** Removes what looks like an API key, a signing secret, a bearer token, a webhook signature or an address's password from a text. */
export function redactSecrets(text: string): string {
  const visible = withoutPasswords(text.replace(invisible, ''))
  return shapes.reduce((shown, [shape, replacement]) => shown.replace(shape, replacement), visible)
}

/**
 * The user before the password of an address. A path shows an address with one slash. Without a scheme, the word before
 * the colon is not a path, and the text after it not a Windows one.
 */
const addresses: readonly [words: RegExp, user: RegExp][] = [
  [/[^\s"']+/g, /:\/{1,2}[^/:@]*:(?=.)/],
  [/[^\s"]+/g, /(?:^|['(=])[^'(=:@/]+:(?=[^\\/])/],
]

/** Replaces a word from its first user to its last `@`. A pattern for both ends would search to the end from each colon. */
function withoutPasswords(text: string): string {
  if (!text.includes('@')) return text
  return addresses.reduce(
    (shown, [words, user]) =>
      shown.replace(words, (word) => {
        const end = word.lastIndexOf('@')
        const start = end < 0 ? null : user.exec(word.slice(0, end))
        return start === null ? word : `${word.slice(0, start.index)}${start[0]}${redacted}${word.slice(end)}`
      }),
    text,
  )
}
