import type { Delivery } from '../../../../contract/index.js'
import { toneOf } from '../../../../trade/statuses.js'
import { gapPixels, timelineOf } from '../../models/delivery.js'
import { spanText, words } from '../../models/text.js'
import { Empty, Moment } from '../pieces.js'

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
            {step.gapMs === undefined || step.gapMs < 500 ? '' : `+${spanText(step.gapMs)}`}
          </span>
          <Moment at={step.at} />
        </li>
      ))}
    </ol>
  )
}
