import type { WebhookOverview } from '../../wire/webhooks.js'
import { accountNamed, OfAccount } from '../components/account.js'
import { AccountField } from '../components/account-fields.js'
import { SearchField } from '../components/fields.js'
import { actThen, useEach, useReloads } from '../components/hooks.js'
import { Heading, Unread } from '../components/pieces.js'
import { Attempts, RetrySchedule } from '../components/webhooks/attempts.js'
import { AccountGaps, Secrets } from '../components/webhooks/journal.js'
import { Receivers, ReceiverTestPanel } from '../components/webhooks/receivers.js'
import { SendAll, SentEvents } from '../components/webhooks/sent-events.js'
import { sentText } from '../models/event.js'
import { shownAccounts, within } from '../state/accounts.js'
import { get } from '../state/api.js'
import { place } from '../state/router.js'
import { session } from '../state/session.js'

export function WebhooksScreen() {
  const search = place.value.query.get('q') ?? ''
  const { answered, isRead, reload } = useEach(
    (account) => get<WebhookOverview>(within(account, `/webhooks?${new URLSearchParams({ q: search })}`)),
    [search],
  )
  const all = isRead ? joined(answered) : undefined
  // What is sent or changed is of one account: the only one, or the one that is chosen.
  const [only, ...others] = shownAccounts.value
  const isOne = others.length === 0
  const account = accountNamed(only)
  useReloads(reload, ({ kind }) => kind !== 'request')
  const act = actThen(account.post, reload)
  const about = session.value
  return (
    <>
      <Heading title="Webhooks">
        {all === undefined ? (
          <Unread what="the events of a day" />
        ) : (
          <span class="dim">{sentText(all, answered.length)}</span>
        )}
      </Heading>
      <div class="filters">
        <SearchField placeholder="Type, order, event or delivery id, pending, failed" words="Search the webhooks" />
        <AccountField />
        {all !== undefined && isOne && (
          <OfAccount name={only}>
            <SendAll all={all} search={search} send={() => act('/webhooks/resend', { search })} />
          </OfAccount>
        )}
      </div>
      {all !== undefined && about !== undefined && (
        <div class="split wide-left">
          <div class="stack">
            <SentEvents all={all} search={search} />
            {about.hasControl && <RetrySchedule due={all.due} />}
            <Attempts attempts={all.attempts} />
          </div>
          <div class="stack">
            <Receivers receivers={all.receivers} reload={reload} />
            {isOne && (
              <OfAccount name={only}>
                {!account.isReadOnly && <ReceiverTestPanel receivers={all.receivers} />}
              </OfAccount>
            )}
            <Secrets all={all} act={act} />
            {answered.map(([name, { canFetch }]) => (
              <OfAccount key={name} name={name}>
                <AccountGaps canFetch={canFetch} reload={reload} isAlone={isOne} />
              </OfAccount>
            ))}
          </div>
        </div>
      )}
    </>
  )
}

/** The webhooks of each account as one list, the newest first. */
function joined(answered: readonly (readonly [string | undefined, WebhookOverview])[]): WebhookOverview {
  const [first] = answered
  if (answered.length === 1 && first?.[0] === undefined && first !== undefined) return first[1]
  const of = <Item,>(list: (all: WebhookOverview) => readonly Item[]) =>
    answered.flatMap(([account, all]) => list(all).map((item) => ({ ...item, account })))
  const newest = (one: string, other: string) => Date.parse(other) - Date.parse(one)
  return {
    receivers: of(({ receivers }) => receivers),
    events: of(({ events }) => events).sort((one, other) => newest(one.occurredAt, other.occurredAt)),
    matching: answered.reduce((sum, [, { matching }]) => sum + matching, 0),
    reach: (['newest', 'day'] as const).find((one) => answered.some(([, { reach }]) => reach === one)) ?? 'all',
    attempts: of(({ attempts }) => attempts).sort((one, other) => newest(one.sentAt, other.sentAt)),
    due: of(({ due }) => due).sort((one, other) => newest(other.dueAt, one.dueAt)),
    secrets: of(({ secrets }) => secrets),
    canSend: answered.every(([, { canSend }]) => canSend),
    canFetch: false,
  }
}
