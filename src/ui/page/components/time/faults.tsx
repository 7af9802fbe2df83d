import { useState } from 'preact/hooks'
import type { FaultRule } from '../../../../shared/fault-rule.js'
import type { TimeAndFaults } from '../../../wire/time.js'
import type { Act } from '../../models/act.js'
import { shellWord } from '../../models/text.js'
import { Action } from '../action.js'
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
  const input = (name: keyof Draft, label: string, list: string | undefined, placeholder: string) => (
    <label>
      <span>{label}</span>
      <input
        type="text"
        list={list}
        placeholder={placeholder}
        value={draft[name]}
        onInput={(event) => setDraft({ ...draft, [name]: event.currentTarget.value.trim() })}
      />
    </label>
  )
  const add = async () => {
    const said = await act('/time/faults', { rule: ruleOf(draft) })
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
            run={() => act('/time/faults/clear', {})}
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
        {input('force', 'Answer with', 'fault-forces', 'SERVICE_UNAVAILABLE')}
        {input('hooks', 'or webhooks with', 'fault-hooks', 'badsig')}
        {input('operation', 'Only this operation', 'fault-operations', 'all')}
        {input('probability', 'Probability', undefined, '1')}
        {input('times', 'Times', undefined, 'always')}
        <datalist id="fault-forces">
          {[...new Set(forces)].map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <datalist id="fault-hooks">
          {[...new Set(hooks)].map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <datalist id="fault-operations">
          {operations.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
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
    ...(force === '' ? {} : { force }),
    ...(hooks === '' ? {} : { hooks }),
    ...(operation === '' ? {} : { operation }),
    ...(probability === '' ? {} : { probability: Number(probability) }),
    ...(times === '' ? {} : { times: Number(times) }),
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
  const flags = [
    force === '' ? '' : `--force ${shellWord(force)}`,
    hooks === '' ? '' : `--hooks ${shellWord(hooks)}`,
    operation === '' ? '' : `--operation ${shellWord(operation)}`,
    probability === '' ? '' : `--probability ${shellWord(probability)}`,
    times === '' ? '' : `--times ${shellWord(times)}`,
  ].filter((flag) => flag !== '')
  return ['sandbox faults', ...(flags.length === 0 ? ['--force FAULT'] : flags)].join(' ')
}
