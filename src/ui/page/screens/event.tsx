import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import type { Done } from '../../wire/deliveries.js'
import type { EventDetail } from '../../wire/events.js'
import { Action } from '../components/action.js'
import { Breakable } from '../components/breakable.js'
import { CopyEvent } from '../components/event/copy-event.js'
import { EditAndSend } from '../components/event/edit-and-send.js'
import { Heading, HeadingToCome } from '../components/heading.js'
import { Empty, Facts, Moment, OutcomeBadge, Panel } from '../components/pieces.js'
import { useLoaded } from '../components/use-loaded.js'
import { attemptOutcome, prettyBody, verdictOutcome } from '../models/event.js'
import { spanText, words } from '../models/text.js'
import { get, post } from '../state/api.js'
import { addKeys } from '../state/keys.js'
import { onNews } from '../state/live.js'
import { sayFailure, sayResult } from '../state/messages.js'
import { addressOf, go } from '../state/router.js'
import { now, session } from '../state/session.js'

export function EventScreen({ id }: { id: string }) {
  const [isUnmasked, setUnmasked] = useState(false)
  const [isEditing, setEditing] = useState(false)
  const {
    value: detail,
    isMissing,
    reload,
  } = useLoaded(
    () => get<EventDetail>(`/events/${encodeURIComponent(id)}${isUnmasked ? '?unmask=1' : ''}`),
    [id, isUnmasked],
  )
  useEffect(() => onNews((news) => news.some(({ eventId }) => eventId === id) && void reload()), [id, reload])
  const sendAgain = async () => {
    try {
      return (await post<Done>(`/events/${encodeURIComponent(id)}/resend`, {})).message
    } finally {
      await reload()
    }
  }
  useLayoutEffect(
    () =>
      isChangeable(detail)
        ? addKeys([
            ...(detail.canSendAgain
              ? [{ key: 's', words: 'Send again', run: () => void sendAgain().then(sayResult, sayFailure) }]
              : []),
            { key: 'e', words: 'Edit and send', run: () => setEditing(true) },
          ])
        : undefined,
    [detail?.canSendAgain],
  )
  if (isMissing)
    return (
      <>
        <Heading title={id} />
        <Empty title="This event is not known here.">
          <p>The journal does not have it, and the service no longer keeps it.</p>
        </Empty>
      </>
    )
  if (detail === undefined) return <HeadingToCome />
  const sent = (eventId: string, message: string) => {
    setEditing(false)
    if (eventId !== id) go(`/events/${encodeURIComponent(eventId)}`)
    // A new address clears what was said before.
    setTimeout(() => sayResult(message))
    void reload()
  }
  return (
    <>
      <Heading title={detail.eventType} shown={<Breakable text={detail.eventType} />}>
        <OutcomeBadge outcome={verdictOutcome(detail.verdict)}>
          {detail.verdict.state.replace('unknown', 'not received here')}
        </OutcomeBadge>
        <span class="push actions">
          {detail.canSendAgain && (
            <Action label="Send again" kind="primary" command={`sandbox resend ${id}`} run={sendAgain} />
          )}
          <Action
            label="Edit and send"
            command={`webhooks send --file - --to URL < body.json`}
            run={async () => {
              setEditing(true)
              return undefined
            }}
          />
          <button type="button" class="button plain" aria-pressed={isUnmasked} onClick={() => setUnmasked(!isUnmasked)}>
            {isUnmasked ? 'Mask names and phones' : 'Show names and phones'}
          </button>
        </span>
      </Heading>
      <div class="split">
        <div class="stack">
          <EventFacts detail={detail} />
          <Changes detail={detail} />
          <Way detail={detail} />
          <Headers detail={detail} />
        </div>
        <div class="stack">
          <Panel title="Copy as" actions={<span class="dim">the exact bytes, unmasked</span>}>
            <CopyEvent eventId={id} />
          </Panel>
          <Body detail={detail} />
        </div>
      </div>
      {isEditing && <EditAndSend detail={detail} onClose={() => setEditing(false)} onSent={sent} />}
    </>
  )
}

/** Whether anything can be sent from here. */
function isChangeable(detail: EventDetail | undefined): detail is EventDetail {
  return detail !== undefined && session.value?.readOnly === false
}

function EventFacts({ detail }: { detail: EventDetail }) {
  const { eventId, occurredAt, receivedAt, deliveryId, reference, verdict, previous, following } = detail
  const link = (event: EventDetail['previous']) =>
    event === null ? null : <a href={addressOf(`/events/${event.eventId}`)}>{event.eventType}</a>
  const rows: (readonly [string, preact.ComponentChildren])[] = [
    ['Event', <span class="mono">{eventId}</span>],
    ['Occurred', <Moment at={occurredAt} />],
  ]
  if (receivedAt !== null) rows.push(['Received', <Moment at={receivedAt} />])
  if (deliveryId !== null)
    rows.push([
      'Delivery',
      <a class="reference" href={addressOf(`/deliveries/${deliveryId}`)}>
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

function Changes({ detail: { changes, previous } }: { detail: EventDetail }) {
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

/** Where the event has gone: the attempts of the service, and what the listener passed on. */
function Way({ detail }: { detail: EventDetail }) {
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
  if (lastDeliveryStatus === null || lastDeliveryStatus === 'no_endpoint_configured')
    return 'It was not sent: no receiver was registered when it happened.'
  return `The service lists no attempts, only the result: ${words(lastDeliveryStatus)}.`
}

function Body({ detail: { body, bodyBytes, isMasked } }: { detail: EventDetail }) {
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
          {choice('Pretty', false)}
          {choice('Raw', true)}
        </span>
      }
    >
      <pre class="body">{isRaw ? body : prettyBody(body)}</pre>
    </Panel>
  )
}

function Headers({ detail: { headers, receivedAt } }: { detail: EventDetail }) {
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
