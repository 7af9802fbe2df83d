import { useRef, useState } from 'preact/hooks'
import type { Remedy } from '../../../../trade/policy-changes.js'
import type { DeliveryDetail } from '../../../wire/deliveries.js'
import type { PolicyChange, ServiceabilityResult, TouchedOrder } from '../../../wire/installations.js'
import { hasWords } from '../../../wire/list.js'
import { command, count, minuteText, priceText } from '../../models/text.js'
import { keyOf, within } from '../../state/accounts.js'
import { get } from '../../state/api.js'
import { sayFailure } from '../../state/messages.js'
import { addressOf, place, setQuery } from '../../state/router.js'
import { session } from '../../state/session.js'
import { OfAccount, useAccount } from '../account.js'
import { AccountBadge } from '../account-fields.js'
import { Action } from '../action.js'
import { CancelDelivery, UpdateDelivery } from '../delivery/dialogs.js'
import { Dialog } from '../dialog.js'
import { useEach, useReloads } from '../hooks.js'
import {
  DeliveryLink,
  Empty,
  Facts,
  Moment,
  NoMatch,
  OutcomeBadge,
  Panel,
  Shortened,
  StatusBadge,
  Unread,
} from '../pieces.js'
import { Table, type TableColumn } from '../table.js'

/** Changes that are shown at first. */
const shownChanges = 20
/** Orders of one change that are shown at first. */
const shownOrders = 30

/** The step that is taken with an order, in its dialog. */
interface Doing {
  remedy: Remedy
  detail: DeliveryDetail
  account: string | undefined
}

/** Each change of a policy with the orders under way that it touches, and what can be done with each. */
export function PolicyChanges() {
  const { query } = place.value
  const [search, code] = [query.get('q') ?? '', query.get('code') ?? '']
  const [doing, setDoing] = useState<Doing | undefined>(undefined)
  const { answered, isRead, reload } = useEach(
    (account) => get<{ changes: PolicyChange[] }>(within(account, `/policy-changes?${new URLSearchParams({ code })}`)),
    [code],
  )
  const all = answered
    .flatMap(([account, { changes }]) => changes.map((change) => ({ ...change, account })))
    .sort((one, other) => Date.parse(other.at) - Date.parse(one.at))
  const shown = useRef<ReadonlySet<string>>(new Set())
  shown.current = new Set(
    all.flatMap(({ account, touched }) => touched.map(({ deliveryId }) => keyOf(account, deliveryId))),
  )
  useReloads(
    reload,
    ({ title, account, deliveryId = '' }) =>
      title === 'installation.access_policy_changed' || shown.current.has(keyOf(account, deliveryId)),
  )
  if (!isRead) return <Unread what="the changes" />
  const found = all.filter(({ eventId, code, name, touched }) =>
    hasWords([eventId, code, name, ...touched.map(({ reference }) => reference)].join(' '), search),
  )
  const close = () => {
    setDoing(undefined)
    void reload()
  }
  return (
    <>
      {code !== '' && (
        <p>
          Only {code}.{' '}
          <button type="button" class="button plain" onClick={() => setQuery({ code: '' })}>
            Show all installations
          </button>
        </p>
      )}
      {found.length === 0 &&
        (all.length > 0 ? (
          <NoMatch title="No change matches." all="changes" />
        ) : (
          <Empty title="No policy has changed in the last 30 days.">
            <p>
              When an installation changes its rules, its orders under way that are touched are listed here, with what
              can be done for each.
            </p>
            {session.value?.hasControl === true && (
              <p>
                <a href={addressOf('/installations', { code })}>Choose an installation</a> and save another policy to
                see it.
              </p>
            )}
          </Empty>
        ))}
      <div class="stack">
        <Shortened items={found} first={shownChanges}>
          {(changes) =>
            changes.map((change) => (
              <OfAccount key={keyOf(change.account, change.eventId)} name={change.account}>
                <Change change={change} open={setDoing} />
              </OfAccount>
            ))
          }
        </Shortened>
      </div>
      <OfAccount name={doing?.account}>
        {doing?.remedy.kind === 'update' && <UpdateDelivery {...doing} onClose={close} />}
        {doing?.remedy.kind === 'cancel' && <CancelDelivery detail={doing.detail} onClose={close} />}
        {doing?.remedy.kind === 'contact' && <Contact detail={doing.detail} onClose={close} />}
      </OfAccount>
    </>
  )
}

const columns: readonly TableColumn<TouchedOrder>[] = [
  { name: 'Order', place: 'order', cell: (order) => <DeliveryLink {...order} /> },
  { name: 'Status', place: 'state', cell: ({ status }) => <StatusBadge status={status} /> },
  { name: 'Window or ETA', place: 'time', cell: (order) => <Due order={order} /> },
  { name: 'Why', place: 'what', cell: ({ obstacles }) => <Why obstacles={obstacles} /> },
]

interface ChangeProps {
  change: PolicyChange
  open(doing: Doing): void
}

function Change({ change, open }: ChangeProps) {
  const account = useAccount()
  const { eventId, at, code, name, changed, underWay, touched } = change
  return (
    <Panel
      title={name === '' || name === code ? code : `${code} · ${name}`}
      actions={
        <span class="actions">
          <AccountBadge name={account.name} />
          <Moment at={at} />
        </span>
      }
    >
      <p class="panel-body">
        <a
          href={account.addressOf(`/events/${encodeURIComponent(eventId)}`)}
          {...account.shows(command`deliveries list --affected ${eventId}`)}
        >
          {changed.join(', ') || 'The policy changed'}
        </a>{' '}
        <span class="dim">
          {underWay === 0
            ? 'no delivery is under way there'
            : `touches ${touched.length || 'none'} of ${count(underWay, 'delivery')} under way`}
        </span>
      </p>
      {touched.length > 0 && (
        <Shortened items={touched} first={shownOrders}>
          {(orders) => (
            <Table
              columns={columns}
              rows={orders}
              keyOf={({ deliveryId }) => deliveryId}
              moreOf={(order) => <Remedies code={code} order={order} open={open} />}
            />
          )}
        </Shortened>
      )}
    </Panel>
  )
}

/** The window, or the ETA where none is known. */
function Due({ order: { window, eta } }: { order: TouchedOrder }) {
  const account = useAccount()
  const text = (at: string | null) => (at === null ? '' : minuteText(at, account.now()))
  if (window === null) return eta === null ? <span class="dim">not known</span> : <>ETA {text(eta)}</>
  const [start, end] = [text(window.start), text(window.end)]
  const [day, time] = end.split(/ (?=\S+$)/)
  const isSameDay = time !== undefined && start.startsWith(`${day} `)
  return (
    <time title={`${window.start ?? ''} to ${window.end ?? ''}`}>
      {start}–{isSameDay ? time : end}
    </time>
  )
}

function Why({ obstacles }: Pick<TouchedOrder, 'obstacles'>) {
  return (
    <ul class="checks">
      {obstacles.map(({ text, blocks }) => (
        <li key={text}>
          {blocks && <OutcomeBadge outcome="bad">blocked</OutcomeBadge>} {text}
        </li>
      ))}
    </ul>
  )
}

interface RemediesProps {
  code: string
  order: TouchedOrder
  open(doing: Doing): void
}

/** A button or link for each thing that can be done; what writes is absent on a read-only page. */
function Remedies({ code, order, open }: RemediesProps) {
  const { reference, deliveryId, remedies } = order
  const account = useAccount()
  const { isReadOnly } = account
  return (
    <div class="actions">
      {remedies
        .filter(({ kind }) => !isReadOnly || kind === 'wait' || kind === 'contact')
        .map((remedy) => {
          const { kind, label } = remedy
          const text = kind === 'cancel' ? `${label}${feeText(order)}` : label
          const name = `${text}: ${reference}`
          if (kind === 'wait')
            return (
              <a
                key={label}
                class="button plain"
                href={account.addressOf(`/deliveries/${encodeURIComponent(deliveryId)}`)}
                aria-label={name}
                {...account.shows(remedy.command)}
              >
                {label}
              </a>
            )
          if (kind === 'check')
            return (
              <Action
                key={label}
                label={name}
                command={remedy.command}
                run={() => checked(account, code, reference, remedy)}
              >
                {label}
              </Action>
            )
          return (
            <button
              key={label}
              type="button"
              class={`button ${kind === 'cancel' ? 'danger' : 'plain'}`}
              aria-label={name}
              onClick={() =>
                void detailOf(account, deliveryId, kind).then(
                  (detail) => open({ remedy, detail, account: account.name }),
                  sayFailure,
                )
              }
              {...account.shows(remedy.command)}
            >
              {text}
            </button>
          )
        })}
    </div>
  )
}

function feeText({ feeCents, currency }: TouchedOrder): string {
  if (feeCents === null) return ''
  return feeCents === 0 ? ', no fee' : `, ${priceText(feeCents, currency)}`
}

type AccountTools = ReturnType<typeof useAccount>

function detailOf(account: AccountTools, deliveryId: string, kind: Remedy['kind']): Promise<DeliveryDetail> {
  return account.get(`/deliveries/${encodeURIComponent(deliveryId)}${kind === 'contact' ? '?unmask=1' : ''}`)
}

async function checked(
  account: AccountTools,
  code: string,
  reference: string,
  { fields = [] }: Remedy,
): Promise<string> {
  const query = new URLSearchParams(fields.map(({ path, value }) => [path, value]))
  const { answer } = await account.get<ServiceabilityResult>(
    `/installations/${encodeURIComponent(code)}/serviceability?${query}`,
  )
  return answer.serviceable
    ? `${reference} can be served at ${code}.`
    : `${reference} cannot be served at ${code}: ${answer.reason ?? answer.reasonCode ?? 'no reason given'}`
}

/** Whom to call about an order: its recipient, and the driver if there is one. */
function Contact({ detail: { delivery }, onClose }: { detail: DeliveryDetail; onClose(): void }) {
  const { dropoff, driver, clientOrderReference, deliveryId } = delivery
  const line = (...parts: readonly (string | null | undefined)[]) => parts.filter(Boolean).join(', ') || '—'
  return (
    <Dialog title={`Contact for ${clientOrderReference ?? deliveryId}`} onClose={onClose}>
      <Facts
        rows={[
          ['Recipient', line(dropoff?.contactName, dropoff?.contactPhone)],
          ['Driver', driver == null ? 'none yet' : line(driver.name, driver.phoneNumber)],
        ]}
      />
    </Dialog>
  )
}
