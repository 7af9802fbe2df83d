import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { problemOf } from '../../../trade/problems.js'
import { packageText } from '../../../trade/sent-facts.js'
import type { DeliveryDetail } from '../../wire/deliveries.js'
import { OfAccount, useAccount } from '../components/account.js'
import { AccountBadge } from '../components/account-fields.js'
import { CancelDelivery, UpdateDelivery } from '../components/delivery/dialogs.js'
import { DeliveryMap } from '../components/delivery/map.js'
import { Moves } from '../components/delivery/moves.js'
import {
  DeliveryEvents,
  DeliveryRequests,
  Proofs,
  StatusTimeline,
  Story,
  Verification,
} from '../components/delivery/panels.js'
import { useLoaded } from '../components/hooks.js'
import { NewOrder } from '../components/new-order.js'
import {
  Age,
  Empty,
  Facts,
  Heading,
  HeadingToCome,
  Moment,
  NamesButton,
  Panel,
  StandingBadges,
  Unread,
} from '../components/pieces.js'
import { addressLine, etaLine, unitLine } from '../models/delivery.js'
import { command, minuteText, priceText, words } from '../models/text.js'
import { within } from '../state/accounts.js'
import { get } from '../state/api.js'
import { knownReference } from '../state/deliveries.js'
import { addKeys } from '../state/keys.js'
import { onNews } from '../state/live.js'
import { addressOf, place } from '../state/router.js'

/** Delay before a delivery is read again after an event, so that several events cause one read. */
const settleMs = 60

export function DeliveryScreen({ id }: { id: string }) {
  const [isUnmasked, setUnmasked] = useState(false)
  const account = place.value.query.get('account') ?? undefined
  const path = within(account, `/deliveries/${encodeURIComponent(id)}${isUnmasked ? '?unmask=1' : ''}`)
  const { value: detail, isMissing, reload } = useLoaded(() => get<DeliveryDetail>(path), [path])
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = onNews((news) => {
      if (!news.some((item) => item.deliveryId === id && (account ?? item.account) === item.account)) return
      clearTimeout(timer)
      timer = setTimeout(reload, settleMs)
    })
    return () => {
      clearTimeout(timer)
      stop()
    }
  }, [path, reload])
  if (isMissing)
    return (
      <>
        <Heading title={id} />
        <Empty title="This delivery does not exist.">
          <p>
            It may have been on a sandbox that was reset. <a href={addressOf('/deliveries')}>Deliveries</a> has the
            others.
          </p>
        </Empty>
      </>
    )
  if (detail === undefined) {
    const reference = knownReference(id, account)
    if (reference === undefined) return <HeadingToCome what="the delivery" />
    return (
      <Heading title={reference}>
        <Unread what="the delivery" isQuiet />
      </Heading>
    )
  }
  return (
    <OfAccount name={detail.account}>
      <Loaded detail={detail} isUnmasked={isUnmasked} setUnmasked={setUnmasked} />
    </OfAccount>
  )
}

interface LoadedProps {
  detail: DeliveryDetail
  isUnmasked: boolean
  setUnmasked(is: boolean): void
}

function Loaded({ detail, isUnmasked, setUnmasked }: LoadedProps) {
  const [dialog, setDialog] = useState<'update' | 'cancel' | 'again' | undefined>(undefined)
  const account = useAccount()
  const { delivery, editable, canCancel } = detail
  const problem = problemOf(detail.story, account.now())
  const { isReadOnly } = account
  const canUpdate = !isReadOnly && editable.length > 0
  useLayoutEffect(() => {
    const keys = [
      ...(canUpdate ? [{ key: 'u', words: 'Update the delivery', run: () => setDialog('update') }] : []),
      ...(canCancel ? [{ key: 'c', words: 'Cancel the delivery', run: () => setDialog('cancel') }] : []),
    ]
    return addKeys(keys)
  }, [canUpdate, canCancel])
  const newest = detail.events.at(-1)?.eventId
  useLayoutEffect(
    () =>
      newest === undefined
        ? undefined
        : addKeys([{ key: 'e', words: 'Open the newest event', run: () => account.go(`/events/${newest}`) }]),
    [newest],
  )
  const close = () => setDialog(undefined)
  return (
    <>
      <Heading title={delivery.clientOrderReference ?? delivery.deliveryId}>
        <AccountBadge name={detail.account} />
        <StandingBadges status={delivery.status} problem={problem} title={delivery.statusReason ?? undefined} />
        {problem === undefined && delivery.statusReasonCode != null && (
          <span class="dim" title={delivery.statusReason ?? undefined}>
            {words(delivery.statusReasonCode)}
          </span>
        )}
        <span class="push actions">
          {canUpdate && (
            <button
              type="button"
              class="button plain"
              onClick={() => setDialog('update')}
              {...account.shows(command`deliveries update ${delivery.deliveryId} --set PATH=VALUE`)}
            >
              Update
            </button>
          )}
          {canCancel && !isReadOnly && (
            <button
              type="button"
              class="button danger"
              onClick={() => setDialog('cancel')}
              {...account.shows(command`deliveries cancel ${delivery.deliveryId}`)}
            >
              Cancel
            </button>
          )}
          <NamesButton isUnmasked={isUnmasked} setUnmasked={setUnmasked} />
        </span>
      </Heading>
      <Story detail={detail} canUpdate={canUpdate} open={setDialog} />
      <Moves detail={detail} />
      <div class="delivery">
        <div class="card-area">
          <Panel title="Delivery">
            <Card detail={detail} />
          </Panel>
        </div>
        <div class="time-area">
          <Panel title="Timeline">
            <StatusTimeline delivery={delivery} />
          </Panel>
        </div>
        <div class="check-area">
          <Verification delivery={delivery} sent={detail.sent} />
        </div>
        <div class="stack map-area">
          <DeliveryMap detail={detail} />
          <Proofs delivery={delivery} />
        </div>
      </div>
      <div class="stack">
        <DeliveryEvents events={detail.events} />
        {detail.requests.length > 0 && <DeliveryRequests requests={detail.requests} />}
      </div>
      {dialog === 'update' && <UpdateDelivery detail={detail} onClose={close} />}
      {dialog === 'again' && <NewOrder from={delivery.deliveryId} onClose={close} />}
      {dialog === 'cancel' && <CancelDelivery detail={detail} onClose={close} />}
    </>
  )
}

function Card({ detail }: { detail: DeliveryDetail }) {
  const account = useAccount()
  const { delivery, etas } = detail
  const { pickup, dropoff, pricing, driver, trackingUrl } = delivery
  const eta = etaLine(etas, account.now())
  const { sent } = detail
  const goods = packageText(detail.package)
  const sentGoods = packageText(sent?.package ?? null)
  const unit = unitLine(dropoff)
  return (
    <Facts
      rows={[
        ['deliveryId', <code>{delivery.deliveryId}</code>],
        ['Pickup', [pickup?.businessName, pickup?.storeReference].filter((part) => part != null).join(', ') || '—'],
        ['Dropoff', addressLine(dropoff?.address)],
        ...(unit === '' ? [] : [['Installation', unit] as const]),
        ...(unit === '' && sent?.installation != null
          ? [['Installation', <FromHere>{sent.installation}</FromHere>] as const]
          : []),
        ...(sent?.window == null
          ? []
          : [
              [
                'Window',
                <FromHere>
                  {minuteText(sent.window.start ?? '', account.now())}–
                  {minuteText(sent.window.end ?? '', account.now())}
                </FromHere>,
              ] as const,
            ]),
        ['Contact', [dropoff?.contactName, dropoff?.contactPhone].filter((part) => part != null).join(', ') || '—'],
        [
          'Instructions',
          dropoff?.instructions ?? (dropoff?.instructions === null ? <span class="dim">none</span> : '—'),
        ],
        ...(goods === '' ? [] : [['Package', goods] as const]),
        ...(goods === '' && sentGoods !== '' ? [['Package', <FromHere>{sentGoods}</FromHere>] as const] : []),
        [
          'Driver',
          driver == null ? (
            <span class="dim">none yet</span>
          ) : (
            [driver.name, driver.phoneNumber, driver.vehicleDescription].filter((part) => part != null).join(', ')
          ),
        ],
        ...(eta === '' ? [] : [['ETA', eta] as const]),
        [
          'Price',
          <>
            <strong>{priceText(pricing?.totalPriceCents, pricing?.currency)}</strong>{' '}
            <span class="dim">
              fee {priceText(pricing?.deliveryFeeCents, pricing?.currency)}
              {(pricing?.tipAmountCents ?? 0) > 0 && `, tip ${priceText(pricing?.tipAmountCents, pricing?.currency)}`}
              {delivery.status === 'cancelled' && (pricing?.cancellationFeeCents ?? 0) > 0 && ', for the cancellation'}
            </span>
          </>,
        ],
        [
          'Created',
          <>
            <Moment at={delivery.createdAt} />{' '}
            <span class="dim">
              <Age at={delivery.createdAt} />
            </span>
          </>,
        ],
        ...(trackingUrl == null ? [] : [['Tracking', <TrackingLink url={trackingUrl} />] as const]),
      ]}
    />
  )
}

/** What the service does not return, and was sent from this machine. */
function FromHere({ children }: { children: ComponentChildren }) {
  return (
    <>
      {children} <span class="dim">as sent from this machine</span>
    </>
  )
}

/** A link only if it is a web address: what a service sends is not trusted to be one. */
function TrackingLink({ url }: { url: string }) {
  const { hasTrackingPages } = useAccount().about
  if (!/^https?:\/\//.test(url)) return <code>{url}</code>
  if (hasTrackingPages === false)
    return (
      <span class="dim" title={url}>
        not served now; dlv sandbox start serves it
      </span>
    )
  return (
    <a href={url} target="_blank" rel="noreferrer noopener">
      {url}
    </a>
  )
}
