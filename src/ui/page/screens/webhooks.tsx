import type { Done } from '../../wire/deliveries.js'
import type { WebhookOverview } from '../../wire/webhooks.js'
import { Heading } from '../components/heading.js'
import { SearchField } from '../components/search-field.js'
import { useLoaded } from '../components/use-loaded.js'
import { useReloads } from '../components/use-reloads.js'
import { Attempts } from '../components/webhooks/attempts.js'
import { Gaps } from '../components/webhooks/gaps.js'
import { ReceiverTestPanel } from '../components/webhooks/receiver-test.js'
import { Receivers } from '../components/webhooks/receivers.js'
import { RetrySchedule } from '../components/webhooks/retry-schedule.js'
import { Secrets } from '../components/webhooks/secrets.js'
import { SendAll } from '../components/webhooks/send-all.js'
import { SentEvents } from '../components/webhooks/sent-events.js'
import { count } from '../models/text.js'
import { get, post } from '../state/api.js'
import { place } from '../state/router.js'
import { session } from '../state/session.js'

export function WebhooksScreen() {
  const search = place.value.query.get('q') ?? ''
  const { value: all, reload } = useLoaded(
    () => get<WebhookOverview>(`/webhooks?${new URLSearchParams({ q: search })}`),
    [search],
  )
  useReloads(reload, ({ kind }) => kind !== 'request')
  const act = async (path: string, body: object) => {
    try {
      return (await post<Done>(path, body)).message
    } finally {
      await reload()
    }
  }
  const about = session.value
  return (
    <>
      <Heading title="Webhooks">
        {all !== undefined && <span class="dim">{count(all.matching, 'event')} sent</span>}
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
