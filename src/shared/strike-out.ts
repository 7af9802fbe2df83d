import { redacted } from './redact-secrets.js'

/** Shorter words would be struck out where they mean something else. */
const leastKeyLength = 8

/** Characters that a screen does not show, as they are and as JSON escapes them: a key that they split is read all the same. */
const invisible = String.raw`(?:\u001b\[[\d;]{0,16}[A-Za-z]|[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2060-\u2064\ufeff]|\\[nrtbf]|\\u[\da-f]{4})*`
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
      spelled.join(invisible),
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
