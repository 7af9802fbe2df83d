import type { GapList, GapSummary } from '../../../wire/webhooks.js'
import { count } from '../../models/text.js'
import { get } from '../../state/api.js'
import { Action } from '../action.js'
import { EventLink } from '../links.js'
import { Moment, OutcomeBadge, Panel } from '../pieces.js'
import { useLoaded } from '../use-loaded.js'
import { useReloads } from '../use-reloads.js'

/** The events of the last day that the service has and the journal lacks. */
export function Gaps({ canFetch, act }: { canFetch: boolean; act(path: string, body: object): Promise<string> }) {
  const { value: found, reload } = useLoaded(() => get<GapList>('/webhooks/gaps'), [])
  useReloads(reload, ({ kind }) => kind === 'event' || kind === 'webhook')
  const fetchMissing = async () => {
    const said = await act('/webhooks/fetch', {})
    await reload()
    return said
  }
  if (found === undefined)
    return (
      <Panel title="Gaps">
        <p class="panel-body dim">Comparing the journal with the events of the service…</p>
      </Panel>
    )
  const { gaps, isCut } = found
  return (
    <Panel
      title="Gaps"
      actions={
        canFetch && gaps.length > 0 ? (
          <Action label="Fetch what is missing" command="webhooks listen --since 24h" run={fetchMissing} />
        ) : (
          <span class="dim">last 24 hours</span>
        )
      }
    >
      {gaps.length === 0 ? (
        <p class="panel-body dim">The journal has every event of the last 24 hours.</p>
      ) : (
        <>
          <p class="panel-body">
            <OutcomeBadge outcome="waiting">
              {count(gaps.length, 'event')}
              {isCut ? ' or more' : ''}
            </OutcomeBadge>{' '}
            of the last 24 hours are not in the journal: no listener ran then, or they were lost on the way.
          </p>
          <ul class="rows">
            {byType(gaps).map(({ type, first, count: number }) => (
              <li key={type}>
                <EventLink eventId={first.eventId} type={type} />
                <span class="dim">
                  {number === 1 ? '' : `${number} ×, first `}
                  <Moment at={first.occurredAt} />
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </Panel>
  )
}

/** The missing events of each type, the most frequent types first. */
function byType(gaps: readonly GapSummary[]): { type: string; first: GapSummary; count: number }[] {
  const types = new Map<string, { type: string; first: GapSummary; count: number }>()
  for (const gap of gaps) {
    const type = gap.eventType ?? 'no type'
    const known = types.get(type)
    if (known === undefined) types.set(type, { type, first: gap, count: 1 })
    else known.count++
  }
  return [...types.values()].sort((one, other) => other.count - one.count)
}
