import type { EventDetail } from '../../../wire/events.js'
import { attemptOutcome } from '../../models/event.js'
import { spanText, words } from '../../models/text.js'
import { now } from '../../state/session.js'
import { Moment, OutcomeBadge, Panel } from '../pieces.js'

/** Where the event has gone: the attempts of the service, and what the listener passed on. */
export function Way({ detail }: { detail: EventDetail }) {
  const { attempts, next, forwards, lastDeliveryStatus } = detail
  return (
    <Panel
      title="Attempts and forwards"
      actions={lastDeliveryStatus === null ? undefined : <span class="dim">{words(lastDeliveryStatus)}</span>}
    >
      {attempts.length + next.length + forwards.length === 0 ? (
        <p class="panel-body dim">{withoutAttempts(detail)}</p>
      ) : (
        <ol class="attempts">
          {attempts.map(({ attempt, sentAt, statusCode, error, durationMs, outcome, url }) => (
            <li key={`${url} ${attempt}`}>
              <span class="attempt-head">
                Attempt {attempt}
                <OutcomeBadge outcome={attemptOutcome(outcome)}>{statusCode ?? 'no answer'}</OutcomeBadge>
                <span class="dim">
                  <Moment at={sentAt} /> · {durationMs} ms
                </span>
              </span>
              <span class="mono break">{url ?? 'a receiver that was removed'}</span>
              {error !== null && <span class="problem">{error}</span>}
            </li>
          ))}
          {next.map(({ attempt, dueAt, url }) => (
            <li key={`${url} next`}>
              <span class="attempt-head">
                Attempt {attempt}
                <OutcomeBadge outcome="waiting">in {spanText(Date.parse(dueAt) - now.value)}</OutcomeBadge>
                <span class="dim">
                  <Moment at={dueAt} />
                </span>
              </span>
              <span class="mono break">{url}</span>
            </li>
          ))}
          {forwards.map(({ url, state, attempts: made, status }) => (
            <li key={`forward ${url}`}>
              <span class="attempt-head">
                Forward
                <OutcomeBadge outcome={state === 'delivered' ? 'good' : state === 'pending' ? 'waiting' : 'bad'}>
                  {status ?? words(state)}
                </OutcomeBadge>
                <span class="dim">{made === 1 ? 'first try' : `${made} tries`}</span>
              </span>
              <span class="mono break">{url}</span>
            </li>
          ))}
        </ol>
      )}
    </Panel>
  )
}

/** Only a sandbox tells of single attempts. */
function withoutAttempts({ receivedAt, lastDeliveryStatus }: EventDetail): string {
  if (receivedAt !== null) return 'It was received here. The service does not list its attempts.'
  if (lastDeliveryStatus === null) return 'The service does not say whether it was sent.'
  if (lastDeliveryStatus === 'no_endpoint_configured')
    return 'It was not sent: no receiver was registered when it happened.'
  return `The service lists no attempts, only the result: ${words(lastDeliveryStatus)}.`
}
