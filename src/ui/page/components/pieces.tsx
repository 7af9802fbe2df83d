import { type ComponentChildren, Fragment, h, type VNode } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'
import type { Shape } from '../../../drawings/local-map.js'
import type { Problem } from '../../../trade/problems.js'
import { toneOf } from '../../../trade/statuses.js'
import type { Outcome } from '../../wire/live.js'
import { ageText, clockText, shortType, words } from '../models/text.js'
import { knownReference } from '../state/deliveries.js'
import { reading } from '../state/live.js'
import { failure } from '../state/messages.js'
import { setQuery } from '../state/router.js'
import { useAccount } from './account.js'

/** A delivery's status in words; the style sheet puts a mark before it, which tells tones apart without colour. */
export function StatusBadge({ status }: { status: string }) {
  return <span class={`badge ${toneOf(status)}`}>{words(status)}</span>
}

interface StandingProps {
  status: string
  problem: Problem | undefined
  title?: string | undefined
}

/** A delivery's status, and its problem in the same words as in the terminal, which often begin with the status. */
export function StandingBadges({ status, problem, title }: StandingProps) {
  const text = words(problem?.text ?? '')
  const tone = problem !== undefined && problem.lateMs > 0 ? 'bad' : toneOf(status) === 'bad' ? 'bad' : 'warn'
  return (
    <span class="badges">
      {!text.startsWith(words(status)) && <StatusBadge status={status} />}
      {text !== '' && (
        <span class={`badge ${tone}`} title={title ?? text}>
          {text}
        </span>
      )}
    </span>
  )
}

export function OutcomeBadge({ outcome, children }: { outcome: Outcome; children: ComponentChildren }) {
  return <span class={`badge ${outcome}`}>{children}</span>
}

/** A moment as a clock, with its age as the title. */
export function Moment({ at }: { at: string | null | undefined }) {
  const account = useAccount()
  if (at == null || at === '') return <span class="dim">—</span>
  return (
    <time dateTime={at} title={at}>
      {clockText(at, account.now())}
    </time>
  )
}

export function Age({ at }: { at: string | null | undefined }) {
  const account = useAccount()
  if (at == null) return null
  return (
    <time dateTime={at} title={at}>
      {ageText(at, account.now())}
    </time>
  )
}

/** A screen's text when it has nothing to show. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  )
}

interface NoMatchProps {
  title: string
  /** The noun on the button that clears the search, such as `changes`. */
  all: string
  /** The filters of the address that it clears. */
  filters?: Record<string, string>
}

/** Says that a screen's own search found nothing. */
export function NoMatch({ title, all, filters = { q: '' } }: NoMatchProps) {
  return (
    <Empty title={title}>
      <p>
        <kbd>Ctrl-K</kbd> finds any order by its reference, id, name, phone, street or event.
      </p>
      <button type="button" class="button plain" onClick={() => setQuery(filters)}>
        Show all {all}
      </button>
    </Empty>
  )
}

/** Names and values, as on a card. */
export function Facts({ rows }: { rows: readonly (readonly [name: string, value: ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

export function Panel({
  title,
  actions,
  children,
}: {
  title: string
  actions?: ComponentChildren
  children: ComponentChildren
}) {
  return (
    <section class="panel">
      <header>
        <h2>{title}</h2>
        {actions}
      </header>
      {children}
    </section>
  )
}

interface HeadingProps {
  title: string
  /** The title as it is shown, if it may be broken. */
  shown?: ComponentChildren
  children?: ComponentChildren
}

/** The heading of a screen, which is also the title of the tab; `children` are its actions. */
export function Heading({ title, shown = title, children }: HeadingProps) {
  useLayoutEffect(() => {
    document.title = `${title} · dlv`
  }, [title])
  return (
    <div class="heading">
      <h1>{shown}</h1>
      {children}
    </div>
  )
}

/** Stands where a heading will be, as long as its words are not known. */
export function HeadingToCome({ what }: { what: string }) {
  return (
    <div class="heading">{isUnreadable() ? <Unread what={what} /> : <span class="to-come" aria-hidden="true" />}</div>
  )
}

/** Whether reading fails at the moment, so that nothing comes for now. */
const isUnreadable = () => reading.value.failed !== undefined || failure.value?.ofReading === true

interface UnreadProps {
  what: string
  /** Says nothing as long as it can still come. */
  isQuiet?: boolean
}

/** Stands where something will be that is not read yet, or cannot be. */
export function Unread({ what, isQuiet = false }: UnreadProps) {
  if (isUnreadable()) return <span class="dim">Could not read {what}.</span>
  return isQuiet ? null : <span class="dim">Reading {what}…</span>
}

interface NamesButtonProps {
  isUnmasked: boolean
  setUnmasked(is: boolean): void
}

/** Shows names and phones, or hides them again; a narrow screen has room for its first words only. */
export function NamesButton({ isUnmasked, setUnmasked }: NamesButtonProps) {
  const verb = isUnmasked ? 'Hide' : 'Show'
  return (
    <button
      type="button"
      class="button plain"
      aria-label={`${verb} names and phones`}
      aria-pressed={isUnmasked}
      onClick={() => setUnmasked(!isUnmasked)}
    >
      {verb} names<span class="rest"> and phones</span>
    </button>
  )
}

/** A link to an event by its type, whose whole name is said. */
export function EventLink({ eventId, type }: { eventId: string; type: string | null }) {
  const account = useAccount()
  const name = type ?? eventId
  return (
    <a href={account.addressOf(`/events/${encodeURIComponent(eventId)}`)} aria-label={name} title={name}>
      <Breakable text={shortType(name)} />
    </a>
  )
}

interface DeliveryLinkProps {
  deliveryId: string | null | undefined
  reference: string | null | undefined
}

/** A link to a delivery by its reference, or by its id if that is not known; nothing for what concerns no delivery. */
export function DeliveryLink({ deliveryId, reference }: DeliveryLinkProps) {
  const account = useAccount()
  if (deliveryId == null) return null
  const name = reference ?? knownReference(deliveryId, account.name) ?? deliveryId
  return (
    <a class="reference" href={account.addressOf(`/deliveries/${encodeURIComponent(deliveryId)}`)} title={name}>
      {name}
    </a>
  )
}

/** A name of the wire, such as `delivery.driver_at_pickup`, which may be broken after its dots and underscores. */
export function Breakable({ text }: { text: string }) {
  const [first = '', ...rest] = text.split(/(?<=[._])/)
  return (
    <>
      {first}
      {rest.map((part, index) => (
        <Fragment key={index}>
          <wbr />
          {part}
        </Fragment>
      ))}
    </>
  )
}

interface ShortenedProps<Item> {
  items: readonly Item[]
  /** Number of entries shown until more are requested. */
  first: number
  children(shown: readonly Item[]): ComponentChildren
}

/** A long list with its beginning first. */
export function Shortened<Item>({ items, first, children }: ShortenedProps<Item>) {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? items : items.slice(0, first)
  return (
    <>
      {children(shown)}
      {shown.length < items.length && (
        <div class="panel-body">
          <button type="button" class="button plain" onClick={() => setWhole(true)}>
            Show {items.length - shown.length} more
          </button>
        </div>
      )}
    </>
  )
}

/** Keeps the room of the country's map until it is there, so that nothing below it moves. */
export function CountryToCome() {
  return <div class="country" />
}

/** A drawing as elements. Their names and attributes are the ones that markup has. */
export function Drawing({ shape }: { shape: Shape }): VNode {
  return h(
    shape.tag,
    shape.attributes as Record<string, unknown>,
    ...shape.children.map((child) => (typeof child === 'string' ? child : <Drawing shape={child} />)),
  )
}
