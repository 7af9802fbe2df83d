import { useEffect, useState } from 'preact/hooks'
import type { Delivery } from '../../../../contract/index.js'
import { roundedSpan } from '../../../../shared/durations.js'
import { checksOf, type SentFacts } from '../../../../trade/sent-facts.js'
import { toneOf } from '../../../../trade/statuses.js'
import { storyOf } from '../../../../trade/story.js'
import { webhookTone } from '../../../../trade/webhook-status.js'
import type { DeliveryDetail, EventSummary } from '../../../wire/deliveries.js'
import type { LiveItem } from '../../../wire/live.js'
import { gapPixels, timelineOf } from '../../models/delivery.js'
import { minuteText, words } from '../../models/text.js'
import { getBlob } from '../../state/api.js'
import { addressOf } from '../../state/router.js'
import { useAccount } from '../account.js'
import { Breakable, Empty, EventLink, Moment, OutcomeBadge, Panel, Shortened } from '../pieces.js'
import { Table, type TableColumn } from '../table.js'

/** Every status with the time between them; the space between two grows with it. */
export function StatusTimeline({ delivery }: { delivery: Pick<Delivery, 'statusHistory'> }) {
  const steps = timelineOf(delivery)
  if (steps.length === 0) return <Empty title="No history." />
  return (
    <ol class="timeline">
      {steps.map((step, index) => (
        <li key={`${step.at} ${step.status}`} style={{ paddingTop: `${gapPixels(step.gapMs)}px` }}>
          <span class={`dot ${toneOf(step.status)}`} aria-hidden="true" />
          <span class="timeline-words">
            <span class={index === steps.length - 1 ? 'timeline-last' : undefined}>{words(step.status)}</span>
            {step.reason !== undefined && <span class="dim"> {words(step.reason)}</span>}
          </span>
          <span class="timeline-gap dim">
            {step.gapMs === undefined || step.gapMs < 500 ? '' : `+${roundedSpan(step.gapMs)}`}
          </span>
          <Moment at={step.at} />
        </li>
      ))}
    </ol>
  )
}

/** The verification at the dropoff: what was added to the order, and what was suppressed and why. */
export function Verification({
  delivery,
  sent,
}: {
  delivery: Pick<Delivery, 'resolvedVerification'>
  sent: SentFacts | null
}) {
  const resolved = delivery.resolvedVerification
  const asked = resolved?.dropoff == null ? checksOf(sent) : undefined
  const isSent = asked !== undefined
  const checks = Object.entries(asked ?? resolved?.dropoff ?? {})
  const derived = (resolved?.derived ?? []).map(entryOf)
  const suppressed = (resolved?.suppressed ?? []).map(entryOf)
  const sources = new Map(derived.map(({ mechanism, source }) => [mechanism, source]))
  const added = derived.filter(({ mechanism }) => !checks.some(([name]) => name === mechanism))
  return (
    <Panel title="Verification">
      <ul class="checks panel-body">
        {checks.length + added.length + suppressed.length === 0 && (
          <li class="dim">{resolved?.dropoff == null ? 'Not known.' : 'Nothing is checked at the dropoff.'}</li>
        )}
        {checks.map(([mechanism, check]) => (
          <li key={mechanism}>
            <strong>{mechanism}</strong> {levelOf(check)}
            <span class="dim">
              {isSent ? 'as sent from this machine' : sources.has(mechanism) ? addedBy(sources.get(mechanism)) : ''}
            </span>
          </li>
        ))}
        {added.map((entry) => (
          <li key={`added ${entry.mechanism}`}>
            <strong>{entry.mechanism}</strong> {levelOf(entry)}
            <span class="dim">{addedBy(entry.source)}</span>
          </li>
        ))}
        {suppressed.map(({ mechanism, reason, substitutedBy }) => (
          <li key={`not ${mechanism}`}>
            <span class="badge warn">not {mechanism}</span>{' '}
            <span class="dim">
              {typeof reason === 'string' ? words(reason) : ''}
              {typeof substitutedBy === 'string' ? `; ${substitutedBy} instead` : ''}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

/** An entry that names a mechanism; the contract defines no form, and any other is shown as it came. */
function entryOf(entry: unknown): { mechanism: string; [name: string]: unknown } {
  if (typeof entry === 'string') return { mechanism: entry }
  const { mechanism } = entry as { mechanism?: unknown }
  return typeof mechanism === 'string' ? { ...(entry as object), mechanism } : { mechanism: JSON.stringify(entry) }
}

function levelOf(check: unknown): string {
  if (typeof check !== 'object' || check === null) return ''
  const { level, minimumAge } = check as { level?: unknown; minimumAge?: unknown }
  const age = typeof minimumAge === 'number' ? `, age ${minimumAge}` : ''
  return typeof level === 'string' ? `${level}${age}` : age
}

function addedBy(source: unknown): string {
  return ` added${typeof source === 'string' ? `: ${words(source)}` : ''}`
}

/** Images of the proof, which the server fetches, so that the page makes no requests to other servers. */
export function Proofs({ delivery }: { delivery: Pick<Delivery, 'deliveryId' | 'proofOfDelivery'> }) {
  const proofs = delivery.proofOfDelivery ?? []
  if (proofs.length === 0) return null
  return (
    <Panel title="Proof of delivery">
      <div class="proofs panel-body">
        {proofs.map((proof, index) => (
          <figure key={`${proof.type} ${proof.capturedAt}`}>
            {proof.url != null && <ProofImage deliveryId={delivery.deliveryId} index={index} type={proof.type} />}
            <figcaption>
              {words(proof.type)} <Moment at={proof.capturedAt} />
            </figcaption>
          </figure>
        ))}
      </div>
    </Panel>
  )
}

function ProofImage({ deliveryId, index, type }: { deliveryId: string; index: number; type: string }) {
  const [source, setSource] = useState<string | undefined>(undefined)
  const [problem, setProblem] = useState<string | undefined>(undefined)
  const path = useAccount().path(`/deliveries/${encodeURIComponent(deliveryId)}/proofs/${index}`)
  useEffect(() => {
    let made: string | undefined
    let isGone = false
    getBlob(path).then(
      (blob) => {
        if (isGone) return
        made = URL.createObjectURL(blob)
        setSource(made)
      },
      (error: Error) => setProblem(error.message),
    )
    return () => {
      isGone = true
      if (made !== undefined) URL.revokeObjectURL(made)
    }
  }, [path])
  if (problem !== undefined) return <p class="dim">{problem}</p>
  return source === undefined ? <div class="proof-space" /> : <img src={source} alt={`Proof: ${words(type)}`} />
}

const eventColumns: readonly TableColumn<EventSummary>[] = [
  { name: 'Time', place: 'time', cell: ({ occurredAt }) => <Moment at={occurredAt} /> },
  { name: 'Event', place: 'what', cell: ({ eventId, eventType }) => <EventLink eventId={eventId} type={eventType} /> },
  { name: 'Webhook', place: 'state', cell: (event) => <WebhookState event={event} /> },
  { name: 'eventId', place: 'more', cell: ({ eventId }) => <Breakable text={eventId} /> },
]

export function DeliveryEvents({ events }: { events: readonly EventSummary[] }) {
  return (
    <Panel title="Events">
      <Shortened items={[...events].reverse()} first={20}>
        {(shown) => <Table columns={eventColumns} rows={shown} keyOf={({ eventId }) => eventId} />}
      </Shortened>
    </Panel>
  )
}

function WebhookState({ event }: { event: EventSummary }) {
  const { lastDeliveryStatus: status, deliveryAttempts } = event
  if (status === null) return <span class="dim">not known</span>
  if (status === 'no_endpoint_configured') return <span class="dim">not sent</span>
  const attempts = (deliveryAttempts ?? 0) > 1 ? `, ${deliveryAttempts} attempts` : ''
  return <OutcomeBadge outcome={webhookTone(status)}>{status + attempts}</OutcomeBadge>
}

const requestColumns: readonly TableColumn<LiveItem>[] = [
  { name: 'Time', place: 'time', cell: ({ at }) => <Moment at={at} /> },
  { name: 'Request', place: 'what', cell: ({ title }) => title },
  {
    name: 'Status',
    place: 'state',
    cell: ({ outcome, status }) => <OutcomeBadge outcome={outcome}>{status}</OutcomeBadge>,
  },
  {
    name: 'X-Request-Id',
    place: 'more',
    cell: ({ requestId }) =>
      requestId === undefined ? null : <a href={addressOf('/live', { q: requestId })}>{requestId}</a>,
  },
]

export function DeliveryRequests({ requests }: { requests: readonly LiveItem[] }) {
  return (
    <Panel title="Requests">
      <Table columns={requestColumns} rows={[...requests].reverse()} keyOf={({ id }) => id} />
    </Panel>
  )
}

type NextStep = 'update' | 'cancel' | 'again'

/** The commands that the page has a dialog for. */
const steps: readonly (readonly [command: RegExp, step: NextStep, label: string])[] = [
  [/^deliveries create --from /, 'again', 'Order again'],
  [/^deliveries update /, 'update', 'Change the order'],
  [/^deliveries cancel /, 'cancel', 'Cancel the order'],
]

interface StoryProps {
  detail: DeliveryDetail
  canUpdate: boolean
  open(step: NextStep): void
}

/** Where the delivery is, as a person would say it; of one that went wrong also why, and what can be done. */
export function Story({ detail, canUpdate, open }: StoryProps) {
  const account = useAccount()
  const { story, explained } = detail
  const nowMs = account.now()
  const sentence = storyOf(story, { nowMs, time: (atMs) => minuteText(new Date(atMs).toISOString(), nowMs) })
  const meaning = explained.at(-1)
  // Its own screen is the answer to `deliveries get`.
  const next = (meaning?.next ?? []).filter((words) => !words.startsWith('deliveries get '))
  return (
    <div class="story">
      <p class="story-sentence">{sentence}</p>
      {meaning !== undefined && (
        <p>
          {meaning.meaning} <span class="dim">Retry: {meaning.retry}</span>
        </p>
      )}
      {next.length > 0 && (
        <ul>
          {next.map((words) => (
            <li key={words}>
              <NextButton words={words} canUpdate={canUpdate} open={open} />
              <code>$ {account.command(words)}</code>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function NextButton({ words, canUpdate, open }: { words: string } & Pick<StoryProps, 'canUpdate' | 'open'>) {
  const account = useAccount()
  const code = /^installations (?:get|check) ([\w-]+)$/.exec(words)?.[1]
  if (code !== undefined)
    return (
      <a class="button plain" href={account.addressOf('/installations', { code })} {...account.shows(words)}>
        {words.startsWith('installations check') ? 'Check the installation' : 'Open the installation'}
      </a>
    )
  const found = steps.find(([command]) => command.test(words))
  if (found === undefined || account.isReadOnly) return null
  const [, step, label] = found
  if (step === 'update' && !canUpdate) return null
  return (
    <button type="button" class="button plain" onClick={() => open(step)} {...account.shows(words)}>
      {label}
    </button>
  )
}
