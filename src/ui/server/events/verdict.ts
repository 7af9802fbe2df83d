import { explainFailure, verify } from '../../../webhooks/index.js'
import type { EventVerdict } from '../../wire/events.js'
import type { LiveItem } from '../../wire/live.js'
import type { Backend } from '../backend.js'
import type { FoundEvent } from './find-event.js'

/** The receiver's verdict on an event that it accepted, rejected, or never received. */
export function verdictOf(
  { secrets, listener }: Pick<Backend, 'secrets' | 'listener'>,
  { received }: FoundEvent,
  rejected: LiveItem | undefined,
): EventVerdict {
  if (received === undefined && rejected !== undefined)
    return {
      state: 'rejected',
      text: sentence(rejected.detail ?? rejected.title),
      hint: 'The listener turned it away and kept nothing of it.',
      mistake: rejected.title,
    }
  if (received === undefined) {
    const hint =
      listener === undefined
        ? 'Events that dlv webhooks listen --ui receives have a verdict.'
        : 'It happened before this listener ran, or was sent to other receivers only.'
    return { state: 'unknown', text: 'It was not received here.', hint, mistake: null }
  }
  const { rawHeaders, body, receivedAtMs, source, secret, repeats, conflicts } = received
  const request = {
    secrets: secrets.map((known) => known.secret),
    headers: rawHeaders,
    body,
    nowSeconds: receivedAtMs / 1_000,
  }
  const verdict = verify(request)
  const times = repeats === 0 ? '' : ` It came ${repeats + 1} times.`
  const clash = conflicts === 0 ? '' : ` Other bodies came under its id ${conflicts} times and were set aside.`
  if (verdict.ok) {
    const how = source === 'pull' ? 'Fetched from the list of events and signed here' : 'Verified'
    const name = secrets[verdict.secretIndex]?.name ?? secret
    const notes = verdict.warnings.map((warning) => ` Note: ${warning}.`).join('')
    return {
      state: 'verified',
      text: `${how} with the secret “${name}”.${times}${clash}${notes}`,
      hint: null,
      mistake: null,
    }
  }
  const explained = explainFailure(request)
  return {
    state: 'rejected',
    text: `It was verified with the secret “${secret}” when it came; with the present secrets, ${explained?.message ?? verdict.message}.`,
    hint: explained?.hint ?? (verdict.reason === 'no_matching_signature' ? null : (verdict.hint ?? null)),
    mistake: explained?.mistake ?? verdict.reason,
  }
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`
}
