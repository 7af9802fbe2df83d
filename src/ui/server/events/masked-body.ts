import { isDeepStrictEqual } from 'node:util'
import { isRecord, tryParseJson } from '../../../shared/json.js'
import { maskNamesAndPhones } from '../../../webhooks/internal.js'

/** A body with names and phones masked; spaces, escapes and the order of members stay as they are. */
export function maskedBody(body: string): string {
  const parsed = tryParseJson(body, 'answer')
  // A phone number of the contract, wherever it is.
  if (parsed === undefined)
    return body.replaceAll(
      /\+\d{8,15}/g,
      (phone) => `${phone.slice(0, 2)}${'*'.repeat(phone.length - 5)}${phone.slice(-3)}`,
    )
  const masked = maskNamesAndPhones(parsed.value)
  return rewritten(body, parsed.value, masked)
}

/**
 * A body that was edited while names and phones were masked, with what was left masked as it is in the original; the
 * original's own bytes if nothing was edited.
 */
export function unmaskedBody(edited: string, original: string): string {
  if (edited === maskedBody(original) || edited === original) return original
  const [parsed, source] = [tryParseJson(edited, 'answer'), tryParseJson(original, 'answer')]
  if (parsed === undefined || source === undefined) return edited
  const restored = restore(parsed.value, maskNamesAndPhones(source.value), source.value)
  return rewritten(edited, parsed.value, restored)
}

/** Takes back the original if the text is the masked one. */
function restore(value: unknown, masked: unknown, original: unknown): unknown {
  if (Array.isArray(value) && Array.isArray(masked) && Array.isArray(original))
    return value.map((element, index) => restore(element, masked[index], original[index]))
  if (isRecord(value) && isRecord(masked) && isRecord(original))
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, restore(inner, masked[name], original[name])]),
    )
  return typeof value === 'string' && value === masked && typeof original === 'string' ? original : value
}

/** The text with each string that differs replaced in place; printed again if that cannot be done. */
function rewritten(text: string, from: unknown, to: unknown): string {
  const replacements = new Map<string, string>()
  let isClear = true
  const collect = (one: unknown, other: unknown) => {
    if (typeof one === 'string' && typeof other === 'string' && one !== other) {
      const [literal, wanted] = [JSON.stringify(one), JSON.stringify(other)]
      isClear &&= (replacements.get(literal) ?? wanted) === wanted
      replacements.set(literal, wanted)
    } else if (Array.isArray(one) && Array.isArray(other))
      for (const [index, element] of one.entries()) collect(element, other[index])
    else if (isRecord(one) && isRecord(other))
      for (const [name, inner] of Object.entries(one)) collect(inner, other[name])
  }
  collect(from, to)
  if (replacements.size === 0) return text
  const changed = isClear
    ? [...replacements].reduce((all, [literal, wanted]) => all.replaceAll(literal, () => wanted), text)
    : text
  return isDeepStrictEqual(tryParseJson(changed, 'answer')?.value, to) ? changed : JSON.stringify(to)
}
