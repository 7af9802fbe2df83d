import { useEffect, useRef } from 'preact/hooks'
import type { Done } from '../../wire/deliveries.js'
import type { SentEventSummary, WebhookOverview } from '../../wire/webhooks.js'
import { Action, showsCommand } from '../components/action.js'
import { Gaps } from '../components/gaps.js'
import { Heading } from '../components/heading.js'
import { Empty, Moment, OutcomeBadge, Panel } from '../components/pieces.js'
import { ReceiverTestPanel } from '../components/receiver-test.js'
import { Receivers } from '../components/receivers.js'
import { Shortened } from '../components/shortened.js'
import { useLoaded } from '../components/use-loaded.js'
import { useReloads } from '../components/use-reloads.js'
import { attemptOutcome } from '../models/event.js'
import { count, shellWord, spanText, words } from '../models/text.js'
import { get, post } from '../state/api.js'
import { addKeys } from '../state/keys.js'
import { addressOf, place, setQuery } from '../state/router.js'
import { now, session } from '../state/session.js'

export function WebhooksScreen() {
  const search = useRef<HTMLInputElement>(null)
  const words = place.value.query.get('q') ?? ''
  const { value: all, reload } = useLoaded(
    () => get<WebhookOverview>(`/webhooks?${new URLSearchParams({ q: words })}`),
    [words],
  )
  useReloads(reload, ({ kind }) => kind !== 'request')
  useEffect(() => addKeys([{ key: '/', words: 'Search the webhooks', run: () => search.current?.focus() }]), [])
  const act = async (path: string, body: object) => {
    try {
      return (await post<Done>(path, body)).message
    } finally {
      await reload()
    }
  }
  return (
    <>
      <Heading title="Webhooks">
        {all !== undefined && <span class="dim">{count(all.matching, 'event')} sent</span>}
      </Heading>
      <div class="filters">
        <label class="search">
          <span>Search</span>
          <input
            ref={search}
            type="search"
            placeholder="Type, order, event or delivery id, pending, failed"
            value={words}
            onInput={(event) => setQuery({ q: event.currentTarget.value })}
          />
        </label>
        {all?.canSend === true && (
          <Action
            label="Send all that match"
            command={sendAllCommand(all, words)}
            run={() => act('/webhooks/resend', { search: words })}
            disabled={all.matching === 0}
          />
        )}
      </div>
      {all !== undefined && (
        <div class="split wide-left">
          <div class="stack">
            <Sent events={all.events} matching={all.matching} search={words} />
            <Due all={all} />
            <Attempts all={all} />
          </div>
          <div class="stack">
            <Receivers receivers={all.receivers} act={act} />
            {session.value?.readOnly === false && <ReceiverTestPanel receivers={all.receivers} />}
            <Secrets all={all} act={act} />
            {session.value?.hasJournal === true && <Gaps canFetch={all.canFetch} act={act} />}
          </div>
        </div>
      )}
    </>
  )
}

/** No one command sends by a search of words, so that the ids of what is listed are passed on. */
function sendAllCommand({ events }: WebhookOverview, search: string): string {
  const ids = events.slice(0, 3).map(({ eventId }) => eventId)
  const more = events.length > 3 ? ' …' : ''
  if (ids.length === 0) return `sandbox resend EVENT${search === '' ? '' : `  # ${shellWord(search)}`}`
  return `sandbox resend ${ids[0]}${ids.length > 1 ? `  # and ${ids.slice(1).join(', ')}${more}` : ''}`
}

function outcomeOf(status: string) {
  return status === 'failed' ? 'bad' : status === 'pending' ? 'waiting' : status === 'delivered' ? 'good' : 'neutral'
}

function Sent({ events, matching, search }: { events: readonly SentEventSummary[]; matching: number; search: string }) {
  if (events.length === 0)
    return (
      <Empty title={search === '' ? 'No webhook has been sent yet.' : 'No event that was sent matches.'}>
        {search === '' && (
          <p>
            Register a receiver, then create an order on <a href={addressOf('/deliveries')}>Deliveries</a>.
          </p>
        )}
      </Empty>
    )
  return (
    <Panel
      title="Events that were sent"
      actions={events.length < matching ? <span class="dim">the newest {events.length}</span> : undefined}
    >
      <Shortened items={events} first={20}>
        {(shown) => (
          <div class="table-scroll">
            <table class="compact">
              <thead>
                <tr>
                  <th scope="col">Occurred</th>
                  <th scope="col">Event</th>
                  <th scope="col">Delivery</th>
                  <th scope="col">Status</th>
                  <th scope="col" class="number optional">
                    Attempts
                  </th>
                </tr>
              </thead>
              <tbody>
                {shown.map(
                  ({ eventId, eventType, occurredAt, deliveryId, reference, lastDeliveryStatus, deliveryAttempts }) => (
                    <tr key={eventId}>
                      <td class="dim nowrap">
                        <Moment at={occurredAt} />
                      </td>
                      <td>
                        <a href={addressOf(`/events/${eventId}`)}>{eventType}</a>
                      </td>
                      <td>
                        {deliveryId !== null && (
                          <a href={addressOf(`/deliveries/${deliveryId}`)}>{reference ?? deliveryId}</a>
                        )}
                      </td>
                      <td>
                        <OutcomeBadge outcome={outcomeOf(lastDeliveryStatus)}>{words(lastDeliveryStatus)}</OutcomeBadge>
                      </td>
                      <td class="number optional">{deliveryAttempts}</td>
                    </tr>
                  ),
                )}
              </tbody>
            </table>
          </div>
        )}
      </Shortened>
    </Panel>
  )
}

/** The retry schedule, on the clock of the service. */
function Due({ all: { due } }: { all: WebhookOverview }) {
  return (
    <Panel
      title="Retry schedule"
      actions={<span class="dim">{due.length === 0 ? 'nothing waits' : "on the service's clock"}</span>}
    >
      {due.length === 0 ? (
        <p class="panel-body dim">Every webhook was delivered or given up.</p>
      ) : (
        <Shortened items={due} first={10}>
          {(shown) => (
            <div class="table-scroll">
              <table class="compact">
                <thead>
                  <tr>
                    <th scope="col">Due</th>
                    <th scope="col">Event</th>
                    <th scope="col">Attempt</th>
                    <th scope="col" class="optional">
                      Receiver
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {shown.map(({ eventId, eventType, dueAt, attempt, url }) => (
                    <tr key={`${eventId} ${url}`}>
                      <td class="nowrap">
                        <Moment at={dueAt} />{' '}
                        <span class="dim">in {spanText(Math.max(0, Date.parse(dueAt) - now.value))}</span>
                      </td>
                      <td>
                        <a href={addressOf(`/events/${eventId}`)}>{eventType}</a>
                      </td>
                      <td>{attempt} of 8</td>
                      <td class="mono break optional">{url}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )}
        </Shortened>
      )}
    </Panel>
  )
}

function Secrets({
  all: { secrets, canSend },
  act,
}: {
  all: WebhookOverview
  act(path: string, body: object): Promise<string>
}) {
  return (
    <Panel
      title="Secrets"
      actions={
        canSend ? (
          <Action label="Rotate secret" command="sandbox rotate-secret" run={() => act('/webhooks/rotate', {})} />
        ) : undefined
      }
    >
      {secrets.length === 0 ? (
        <p class="panel-body dim">No secret is known here.</p>
      ) : (
        <ul class="rows">
          {secrets.map(({ name, fingerprint, verified, isActive }) => (
            <li key={`${name} ${fingerprint}`}>
              <strong>{name}</strong>
              <code title="The beginning of the secret's SHA-256">{fingerprint}</code>
              <span class="dim">
                {[
                  isActive === null ? '' : isActive ? 'signs' : 'signs no more',
                  verified === null ? '' : `${count(verified, 'event')} verified`,
                ]
                  .filter((part) => part !== '')
                  .join(' · ')}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}

function Attempts({ all: { attempts } }: { all: WebhookOverview }) {
  if (attempts.length === 0) return null
  return (
    <Panel title="Attempts" actions={<span class="dim">the newest</span>}>
      <Shortened items={attempts} first={10}>
        {(shown) => (
          <ul class="rows">
            {shown.map(({ eventId, eventType, attempt, sentAt, statusCode, outcome, durationMs, error }) => (
              <li key={`${eventId} ${attempt} ${sentAt}`}>
                <OutcomeBadge outcome={attemptOutcome(outcome)}>{statusCode ?? 'no answer'}</OutcomeBadge>
                <a href={addressOf(`/events/${eventId}`)} {...showsCommand(`sandbox attempts ${eventId}`)}>
                  {eventType ?? eventId}
                </a>
                <span class="dim">
                  attempt {attempt} · <Moment at={sentAt} /> · {error ?? `${durationMs} ms`}
                </span>
              </li>
            ))}
          </ul>
        )}
      </Shortened>
    </Panel>
  )
}
