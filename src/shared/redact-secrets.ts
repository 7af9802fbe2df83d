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

/** Shorter words would be struck out where they mean something else. */
const leastKeyLength = 8

/** Characters that a screen does not show, as they are and as JSON escapes them: a key that they split is read all the same. */
const betweenLetters = String.raw`(?:\u001b\[[\d;]{0,16}[A-Za-z]|[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2060-\u2064\ufeff]|\\[nrtbf]|\\u[\da-f]{4})*`
const escaped = (text: string) => text.replace(/[$()*+.?[\\\]^{|}/]/g, String.raw`\$&`)

let compiled: { key: string; pattern: RegExp } | undefined

/**
 * Strikes a key or password out of a text, in the forms that a service may reflect it in: in any case, split by control
 * characters, percent-encoded, as JSON writes it, and in base64. One that is shorter than `leastLength` is left.
 */
export function strikeOut(text: string, key: string | undefined, leastLength = leastKeyLength): string {
  if (key === undefined || key.length < leastLength) return text
  if (compiled?.key !== key) compiled = { key, pattern: patternOf(key) }
  return text.replace(compiled.pattern, redacted)
}

function patternOf(key: string): RegExp {
  const spelled = [...key].map((character) => {
    const forms = [character, JSON.stringify(character).slice(1, -1), percentEncoded(character)]
    return `(?:${[...new Set(forms)].map(escaped).join('|')})`
  })
  return new RegExp(
    [
      spelled.join(betweenLetters),
      ...base64Forms(key)
        .filter(({ length }) => length >= leastKeyLength)
        .map(escaped),
    ].join('|'),
    'gi',
  )
}

function percentEncoded(character: string): string {
  const bytes = [...new TextEncoder().encode(character)]
  return bytes.map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
}

/** The characters of base64 that the key alone decides, for each place in three bytes at which it can begin. */
function base64Forms(key: string): string[] {
  const bytes = String.fromCharCode(...new TextEncoder().encode(key))
  return [0, 1, 2].flatMap((before) => {
    const encoded = btoa('\0'.repeat(before) + bytes)
    const form = encoded.slice(before === 0 ? 0 : before + 1, Math.floor(((before + bytes.length) * 8) / 6))
    return [form, form.replaceAll('+', '-').replaceAll('/', '_')]
  })
}
