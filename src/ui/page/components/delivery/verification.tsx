import type { Delivery } from '../../../../contract/index.js'
import { words } from '../../models/text.js'
import { Panel } from '../pieces.js'

/** What is checked at the dropoff, what was added to the order, and what was suppressed and why. */
export function Verification({ delivery }: { delivery: Pick<Delivery, 'resolvedVerification'> }) {
  const resolved = delivery.resolvedVerification
  const checks = Object.entries(resolved?.dropoff ?? {})
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
            <span class="dim">{sources.has(mechanism) ? addedBy(sources.get(mechanism)) : ''}</span>
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
