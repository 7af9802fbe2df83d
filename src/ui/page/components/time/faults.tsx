import { useState } from 'preact/hooks'
import type { FaultRule } from '../../../../contract/internal.js'
import { shellWord } from '../../../../shared/command-words.js'
import type { TimeAndFaults } from '../../../wire/time.js'
import { Action } from '../action.js'
import type { Act } from '../hooks.js'
import { Panel } from '../pieces.js'

interface Draft {
  force: string
  hooks: string
  operation: string
  probability: string
  times: string
}

const empty: Draft = { force: '', hooks: '', operation: '', probability: '', times: '' }

/** Rules of misbehaviour: which requests or webhooks, how often, and what happens to them. */
export function Faults({ all: { faults, operations, magic }, act }: { all: TimeAndFaults; act: Act }) {
  const [draft, setDraft] = useState(empty)
  const input = (name: keyof Draft, label: string, placeholder: string, known: readonly string[] = []) => (
    <label>
      <span>{label}</span>
      <input
        type="text"
        list={known.length === 0 ? undefined : `fault-${name}`}
        placeholder={placeholder}
        value={draft[name]}
        onInput={(event) => setDraft({ ...draft, [name]: event.currentTarget.value.trim() })}
      />
      <datalist id={`fault-${name}`}>
        {[...new Set(known)].map((text) => (
          <option key={text} value={text} />
        ))}
      </datalist>
    </label>
  )
  const add = async () => {
    const said = await act<TimeAndFaults['faults']>(
      '/control/faults',
      { rules: [ruleOf(draft)], append: true },
      ({ rules }) => `Added a fault; ${rules.length} in all.`,
    )
    setDraft(empty)
    return said
  }
  const forces = magic.filter(({ channel }) => channel === 'header').map(({ value }) => value.replace(/^.*?:\s*/, ''))
  const hooks = magic.filter(({ channel }) => channel === 'webhook fault').map(({ value }) => value)
  return (
    <Panel
      title="Faults"
      actions={
        faults.rules.length > 0 ? (
          <Action
            label="Remove all faults"
            command="sandbox faults --clear"
            run={() => act('/control/faults', { rules: [] }, () => 'Removed all faults.')}
          />
        ) : undefined
      }
    >
      {faults.rules.length > 0 && (
        <ul class="rows">
          {faults.rules.map((rule) => (
            <li key={JSON.stringify(rule)}>
              <strong>{rule.force ?? rule.hooks ?? 'latency'}</strong>
              <span class="dim">{ruleText(rule)}</span>
            </li>
          ))}
        </ul>
      )}
      <form class="panel-body fault" onSubmit={(event) => event.preventDefault()}>
        {input('force', 'Answer with', 'SERVICE_UNAVAILABLE', forces)}
        {input('hooks', 'or webhooks with', 'badsig', hooks)}
        {input('operation', 'Only this operation', 'all', operations)}
        {input('probability', 'Probability', '1')}
        {input('times', 'Times', 'always')}
        <Action
          label="Add fault"
          type="submit"
          command={commandOf(draft)}
          run={add}
          disabled={draft.force === '' && draft.hooks === ''}
        />
      </form>
    </Panel>
  )
}

function ruleOf({ force, hooks, operation, probability, times }: Draft): FaultRule {
  return {
    force: force || undefined,
    hooks: hooks || undefined,
    operation: operation || undefined,
    probability: probability === '' ? undefined : Number(probability),
    times: times === '' ? undefined : Number(times),
  }
}

function ruleText({ operation, probability, times, latencyMs, eventTypes }: FaultRule): string {
  return [
    operation === undefined || operation === '*' ? '' : operation,
    eventTypes?.join(', ') ?? '',
    probability === undefined || probability === 1 ? '' : `${Math.round(probability * 100)} %`,
    times === undefined ? '' : `${times} times`,
    latencyMs === undefined
      ? ''
      : typeof latencyMs === 'number'
        ? `${latencyMs} ms`
        : `${latencyMs.min} to ${latencyMs.max} ms`,
  ]
    .filter((part) => part !== '')
    .join(' · ')
}

function commandOf({ force, hooks, operation, probability, times }: Draft): string {
  const given = Object.entries({ force, hooks, operation, probability, times }).filter(([, text]) => text !== '')
  const flags = given.map(([name, text]) => `--${name} ${shellWord(text)}`)
  return ['sandbox faults', ...(flags.length === 0 ? ['--force FAULT'] : flags)].join(' ')
}
