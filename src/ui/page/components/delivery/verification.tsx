import type { Delivery } from '../../../../contract/index.js'
import { words } from '../../models/text.js'
import { Panel } from '../pieces.js'

/** What is checked at the dropoff, what was added to the order, and what was suppressed and why. */
export function Verification({ delivery }: { delivery: Pick<Delivery, 'resolvedVerification'> }) {
  const { dropoff, derived = [], suppressed = [] } = delivery.resolvedVerification ?? {}
  const checks = Object.entries(dropoff ?? {})
  return (
    <Panel title="Verification">
      <ul class="checks panel-body">
        {checks.length === 0 && suppressed.length === 0 && <li class="dim">Nothing is checked at the dropoff.</li>}
        {checks.map(([mechanism, check]) => (
          <li key={mechanism}>
            <strong>{mechanism}</strong> {levelOf(check)}
            <span class="dim">{sourceOf(mechanism, derived)}</span>
          </li>
        ))}
        {suppressed.map(({ mechanism, reason, substitutedBy }) => (
          <li key={`not ${mechanism}`}>
            <span class="badge warn">not {mechanism}</span>{' '}
            <span class="dim">
              {reason === undefined ? '' : words(reason)}
              {substitutedBy == null ? '' : `; ${substitutedBy} instead`}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

function levelOf(check: unknown): string {
  if (typeof check !== 'object' || check === null) return ''
  const { level, minimumAge } = check as { level?: unknown; minimumAge?: unknown }
  const age = typeof minimumAge === 'number' ? `, age ${minimumAge}` : ''
  return typeof level === 'string' ? `${level}${age}` : age
}

function sourceOf(
  mechanism: string,
  derived: readonly { mechanism?: string | undefined; source?: string | undefined }[],
): string {
  const added = derived.find((entry) => entry.mechanism === mechanism)
  return added === undefined ? '' : ` added${added.source === undefined ? '' : `: ${words(added.source)}`}`
}
