import { useState } from 'preact/hooks'
import { shellWord } from '../../../../shared/command-words.js'
import type { FormField } from '../../../wire/deliveries.js'
import type { ServiceabilityResult } from '../../../wire/installations.js'
import type { Typed } from '../../models/form.js'
import { command, words } from '../../models/text.js'
import { get } from '../../state/api.js'
import { session } from '../../state/session.js'
import { Action } from '../action.js'
import { Field } from '../form-fields.js'
import { Facts, Moment, OutcomeBadge, Panel } from '../pieces.js'

/** Asks whether a stop at an installation can be served. It costs nothing and changes nothing. */
export function ServiceabilityCheck({ code, fields }: { code: string; fields: readonly FormField[] }) {
  const [typed, setTyped] = useState<Typed>({})
  const [result, setResult] = useState<ServiceabilityResult | undefined>(undefined)
  // The contract asks by a POST, and a read-only page sends none.
  if (session.value?.readOnly !== false) return null
  const given = Object.entries(typed).filter(([, text]) => text.trim() !== '')
  const check = async () => {
    const query = new URLSearchParams(given)
    const found = await get<ServiceabilityResult>(`/installations/${encodeURIComponent(code)}/serviceability?${query}`)
    setResult(found)
    const { serviceable, reason, reasonCode } = found.answer
    return serviceable
      ? `${code} can be served.`
      : `${code} cannot be served: ${reason ?? reasonCode ?? 'no reason given'}`
  }
  return (
    <Panel title="Serviceability">
      <form class="panel-body policy" onSubmit={(event) => event.preventDefault()}>
        {fields.map((one) => (
          <Field
            key={one.path}
            field={one}
            text={typed[one.path] ?? ''}
            problem={undefined}
            onType={(text) => setTyped((before) => ({ ...before, [one.path]: text }))}
          />
        ))}
        <div class="form-actions">
          <Action label="Check serviceability" type="submit" command={commandOf(code, typed)} run={check} />
        </div>
      </form>
      {result !== undefined && <Answer result={result} />}
    </Panel>
  )
}

const flags: Readonly<Record<string, string>> = {
  'dropoff.address': '--to',
  'dropoff.unit.deliveryPoint': '--delivery-point',
  'package.contains': '--contains',
  deliverAt: '--at',
}

function commandOf(code: string, typed: Typed): string {
  const given = Object.entries(typed)
    .filter(([, text]) => text.trim() !== '')
    .map(([path, text]) => `${flags[path] ?? path} ${shellWord(text.trim())}`)
  return [command`installations check ${code}`, ...given].join(' ')
}

function Answer({ result: { answer } }: { result: ServiceabilityResult }) {
  const list = (values: readonly string[] | null | undefined) => (values ?? []).map(words).join(', ')
  const { serviceable, reasonCode, reason, recommendedGate, retryAfter, credentialedDriversAvailable } = answer
  const rows: (readonly [string, preact.ComponentChildren])[] = [
    [
      'Answer',
      <OutcomeBadge outcome={serviceable ? 'good' : 'bad'}>
        {serviceable ? 'serviceable' : words(reasonCode ?? 'not serviceable')}
      </OutcomeBadge>,
    ],
  ]
  if (reason != null) rows.push(['Reason', reason])
  if (recommendedGate != null) rows.push(['Gate', recommendedGate])
  if (retryAfter != null) rows.push(['Again after', <Moment at={retryAfter} />])
  if (credentialedDriversAvailable != null)
    rows.push(['Credentialed drivers', credentialedDriversAvailable ? 'available' : 'none available'])
  if (list(answer.permittedProofTypes) !== '') rows.push(['Proof', list(answer.permittedProofTypes)])
  if (list(answer.suppressedProofTypes) !== '') rows.push(['Suppressed proof', list(answer.suppressedProofTypes)])
  return <Facts rows={rows} />
}
