import { maxJsonDepth, tooDeep } from './json.js'
import { rawTextOf } from './json-number.js'
import { remembering } from './texts.js'

/** Additional levels, for what wraps a value of the maximum depth. */
const maxDepth = maxJsonDepth + 8

/**
 * JSON with object keys in code-unit order and no white space, so that two documents with the same meaning have the
 * same text. Takes what `JSON.stringify` takes: a `Date` is the text of its time. Numbers have the text in which they were
 * written.
 *
 * @throws UsageError if the value is nested deeper than the limit
 */
export function canonicalJson(value: unknown): string {
  return written(value, 0)
}

function written(value: unknown, depth: number): string {
  if (typeof value === 'string') return writtenText(value)
  if (typeof value === 'bigint' || Number.isFinite(value)) return String(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const raw = rawTextOf(value)
  if (raw !== undefined) return raw
  if (depth >= maxDepth) throw tooDeep('The value')
  if ('toJSON' in value && typeof value.toJSON === 'function') return written(value.toJSON(), depth + 1)
  let text = ''
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) text += `${at === 0 ? '' : ','}${written(value[at], depth + 1)}`
    return `[${text}]`
  }
  const members = value as Readonly<Record<string, unknown>>
  for (const name of Object.keys(members).sort()) {
    const member = members[name]
    if (member !== undefined) text += `${text === '' ? '' : ','}${writtenName(name)}${written(member, depth + 1)}`
  }
  return `{${text}}`
}

/** Printable ASCII without a quote and a backslash: JSON has nothing to escape in it, and most texts are such. */
const plainText = /^[ !#-[\]-~]*$/

/** The documents of a run have the same few names. */
const writtenName = remembering((name) => `${writtenText(name)}:`)

function writtenText(text: string): string {
  return plainText.test(text) ? `"${text}"` : JSON.stringify(text)
}
