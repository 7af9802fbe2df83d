import { useState } from 'preact/hooks'
import { roundedSpan } from '../../../../shared/durations.js'
import { webhookTone } from '../../../../trade/webhook-status.js'
import type { EventDetail } from '../../../wire/events.js'
import { prettyBody, turningParts } from '../../models/event.js'
import { words } from '../../models/text.js'
import { useAccount } from '../account.js'
import { Breakable, Facts, Moment, OutcomeBadge, Panel } from '../pieces.js'

/** The receiver's verdict on the event, and the subject of the event. */
export function EventFacts({ detail }: { detail: EventDetail }) {
  const { eventId, occurredAt, receivedAt, deliveryId, reference, verdict, previous, following } = detail
  const account = useAccount()
  const link = (event: EventDetail['previous']) =>
    event === null ? null : (
      <a href={account.addressOf(`/events/${event.eventId}`)}>
        <Breakable text={event.eventType} />
      </a>
    )
  const rows: (readonly [string, preact.ComponentChildren])[] = [
    ['Event', <span class="mono">{eventId}</span>],
    ['Occurred', <Moment at={occurredAt} />],
  ]
  if (receivedAt !== null) rows.push(['Received', <Moment at={receivedAt} />])
  if (deliveryId !== null)
    rows.push([
      'Delivery',
      <a class="reference" href={account.addressOf(`/deliveries/${deliveryId}`)}>
        {reference ?? deliveryId}
      </a>,
    ])
  if (previous !== null) rows.push(['Before it', link(previous)])
  if (following !== null) rows.push(['After it', link(following)])
  return (
    <Panel title="Verdict">
      <div class={`verdict ${verdict.state}`}>
        <p>{verdict.text}</p>
        {verdict.mistake !== null && (
          <p>
            Mistake: <code>{verdict.mistake}</code>
          </p>
        )}
        {verdict.hint !== null && <p class="dim">{verdict.hint}</p>}
      </div>
      <Facts rows={rows} />
    </Panel>
  )
}

/** The differences from the delivery's previous event. */
export function Changes({ detail: { changes, previous } }: { detail: EventDetail }) {
  if (previous === null) return null
  return (
    <Panel title="What changed" actions={<span class="dim">since {previous.eventType}</span>}>
      {changes.length === 0 ? (
        <p class="panel-body dim">Nothing.</p>
      ) : (
        <dl class="changes">
          {changes.map(({ path, before, after }) => (
            <div key={path}>
              <dt>
                <Breakable text={path} />
              </dt>
              <dd>
                {before !== null && <del>{before}</del>}
                {after === null ? <span class="dim">removed</span> : <ins>{after}</ins>}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </Panel>
  )
}

/** The destinations of the event: the service's attempts, and the listener's forwards. */
export function Way({ detail }: { detail: EventDetail }) {
  const account = useAccount()
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
                <OutcomeBadge outcome={webhookTone(outcome)}>{statusCode ?? 'no answer'}</OutcomeBadge>
                <span class="dim">
                  <Moment at={sentAt} /> · {durationMs} ms
                </span>
              </span>
              <span class="mono">{url ?? 'a receiver that was removed'}</span>
              {error !== null && <span class="problem">{error}</span>}
            </li>
          ))}
          {next.map(({ attempt, dueAt, url }) => (
            <li key={`${url} next`}>
              <span class="attempt-head">
                Attempt {attempt}
                <OutcomeBadge outcome="warn">in {roundedSpan(Date.parse(dueAt) - account.now())}</OutcomeBadge>
                <span class="dim">
                  <Moment at={dueAt} />
                </span>
              </span>
              <span class="mono">{url}</span>
            </li>
          ))}
          {forwards.map(({ url, state, attempts: made, status }) => (
            <li key={`forward ${url}`}>
              <span class="attempt-head">
                Forward
                <OutcomeBadge outcome={webhookTone(state)}>{status ?? words(state)}</OutcomeBadge>
                <span class="dim">{made === 1 ? 'first try' : `${made} tries`}</span>
              </span>
              <span class="mono">{url}</span>
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

/** The body, pretty or byte for byte. */
export function Body({ detail: { body, bodyBytes, isMasked } }: { detail: EventDetail }) {
  const [isRaw, setRaw] = useState(false)
  const choice = (name: string, raw: boolean) => (
    <button type="button" class="tab" aria-pressed={isRaw === raw} onClick={() => setRaw(raw)}>
      {name}
    </button>
  )
  return (
    <Panel
      title="Body"
      actions={
        <span class="tabs">
          <span class="dim">
            {bodyBytes.toLocaleString('en-US')} bytes{isMasked ? ', names and phones masked' : ''}
          </span>
          <span class="tabs">
            {choice('Pretty', false)}
            {choice('Raw', true)}
          </span>
        </span>
      }
    >
      <pre class="body">
        {turningParts(isRaw ? body : prettyBody(body)).map((part, index) =>
          index % 2 === 1 ? <bdi key={index}>{part}</bdi> : part,
        )}
      </pre>
    </Panel>
  )
}

export function Headers({ detail: { headers, receivedAt } }: { detail: EventDetail }) {
  return (
    <Panel
      title="Headers"
      actions={<span class="dim">{receivedAt === null ? 'as they would be signed now' : 'as received'}</span>}
    >
      <dl class="facts headers">
        {headers.map(([name, value], index) => (
          <div key={`${name} ${index}`}>
            <dt>{name}</dt>
            <dd class="mono">{value}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  )
}
