import type { WebhookOverview } from '../../wire/webhooks.js'
import { SearchField } from '../components/fields.js'
import { actThen, useLoaded, useReloads } from '../components/hooks.js'
import { Heading, Unread } from '../components/pieces.js'
import { Attempts, RetrySchedule } from '../components/webhooks/attempts.js'
import { Gaps, Secrets } from '../components/webhooks/journal.js'
import { Receivers, ReceiverTestPanel } from '../components/webhooks/receivers.js'
import { SendAll, SentEvents } from '../components/webhooks/sent-events.js'
import { count } from '../models/text.js'
import { get } from '../state/api.js'
import { place } from '../state/router.js'
import { session } from '../state/session.js'

export function WebhooksScreen() {
  const search = place.value.query.get('q') ?? ''
  const { value: all, reload } = useLoaded(
    () => get<WebhookOverview>(`/webhooks?${new URLSearchParams({ q: search })}`),
    [search],
  )
  useReloads(reload, ({ kind }) => kind !== 'request')
  const act = actThen(reload)
  const about = session.value
  return (
    <>
      <Heading title="Webhooks">
        {all === undefined ? (
          <Unread what="the events of a day" />
        ) : (
          <span class="dim">{count(all.matching, 'event')} sent</span>
        )}
      </Heading>
      <div class="filters">
        <SearchField placeholder="Type, order, event or delivery id, pending, failed" words="Search the webhooks" />
        {all !== undefined && <SendAll all={all} search={search} send={() => act('/webhooks/resend', { search })} />}
      </div>
      {all !== undefined && about !== undefined && (
        <div class="split wide-left">
          <div class="stack">
            <SentEvents all={all} search={search} />
            {about.hasControl && <RetrySchedule due={all.due} />}
            <Attempts attempts={all.attempts} />
          </div>
          <div class="stack">
            <Receivers receivers={all.receivers} act={act} />
            {!about.readOnly && <ReceiverTestPanel receivers={all.receivers} />}
            <Secrets all={all} act={act} />
            {about.hasJournal && <Gaps canFetch={all.canFetch} act={act} />}
          </div>
        </div>
      )}
    </>
  )
}
