import type { EventVerdict } from '../../wire/events.js'
import type { Outcome } from '../../wire/live.js'
import type { WebhookOverview } from '../../wire/webhooks.js'
import { count } from './text.js'

interface RawJson {
  /** What `JSON.stringify` writes as this text. */
  rawJSON?: (text: string) => unknown
}

/**
 * JSON whose numbers `JSON.stringify` writes as they stand in the text: 9007199254740993, 1.10, 1e5. Browsers that
 * cannot do that give the nearest number.
 */
export function parseWithDigits(text: string): unknown {
  const { rawJSON } = JSON as RawJson
  if (rawJSON === undefined) return JSON.parse(text)
  return JSON.parse(text, (_name, value: unknown, context?: { source?: string }) => {
    const source = typeof value === 'number' ? context?.source : undefined
    return source === undefined || source === String(value) ? value : rawJSON(source)
  })
}

/** A body on many lines; text that is not JSON as it is. */
export function prettyBody(body: string): string {
  try {
    return JSON.stringify(parseWithDigits(body), null, 2)
  } catch {
    // What a stranger sent under a valid signature need not be JSON.
    return body
  }
}

/** Letters of scripts from right to left, and marks that turn the direction of the text. */
const turning =
  /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc]|[\ud802\ud803\ud83a\ud83b]/

/** The parts of a body; every second one is the inside of a string that may turn the direction of the text. */
export function turningParts(body: string): string[] {
  const parts = ['']
  for (const text of body.split(/("(?:[^"\\]|\\.)*")/s)) {
    const isTurning = text.startsWith('"') && text.length > 1 && turning.test(text)
    parts[parts.length - 1] += isTurning ? '"' : text
    if (isTurning) parts.push(text.slice(1, -1), '"')
  }
  return parts
}

export function verdictOutcome({ state }: EventVerdict): Outcome {
  return state === 'verified' ? 'good' : state === 'rejected' ? 'bad' : 'neutral'
}

/** How many events were sent, of those that were looked through. */
export function sentText({ matching, reach }: Pick<WebhookOverview, 'matching' | 'reach'>, accounts = 1): string {
  const sent = `${count(matching, 'event')} sent`
  if (reach === 'all') return sent
  if (reach === 'day') return `${sent} in the last day`
  return `${sent}, among the newest 1,000 ${accounts === 1 ? '' : 'of each account '}of the last day`
}

/** Why there is nothing to list. */
export const noneSentText = {
  all: 'No webhook has been sent yet.',
  day: 'No webhook was sent in the last day.',
  newest: 'No webhook was sent for the newest 1,000 events of the last day.',
} satisfies Record<WebhookOverview['reach'], string>
