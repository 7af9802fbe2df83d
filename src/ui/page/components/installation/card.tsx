import { useState } from 'preact/hooks'
import type { Done, FormField } from '../../../wire/deliveries.js'
import type { GateNow, InstallationDetail } from '../../../wire/installations.js'
import { changesOf, type Typed, typedOf } from '../../models/form.js'
import { shellWord, words } from '../../models/text.js'
import { Failed, get, post } from '../../state/api.js'
import { Action } from '../action.js'
import { Field } from '../form-fields.js'
import { Empty, Facts, Moment, OutcomeBadge, Panel } from '../pieces.js'
import { useLoaded } from '../use-loaded.js'
import { useReloads } from '../use-reloads.js'
import { ServiceabilityCheck } from './serviceability-check.js'

/** One installation: its rules, its gates with their hours now, a check, and its policy to be changed. */
export function InstallationCard({ code }: { code: string }) {
  const {
    value: detail,
    isMissing,
    reload,
  } = useLoaded(() => get<InstallationDetail>(`/installations/${encodeURIComponent(code)}`), [code])
  useReloads(reload, ({ title }) => title === 'installation.access_policy_changed')
  if (isMissing) return <Empty title={`There is no installation ${code}.`} />
  if (detail === undefined) return null
  const { installation, gates, policy } = detail
  return (
    <>
      <Panel
        title={`${code} · ${installation.name ?? ''}`}
        actions={
          <OutcomeBadge outcome={installation.acceptingDeliveries === false ? 'bad' : 'good'}>
            {installation.acceptingDeliveries === false ? 'closed to deliveries' : 'accepts deliveries'}
          </OutcomeBadge>
        }
      >
        <Facts rows={rules(detail)} />
      </Panel>
      <Gates gates={gates} />
      <ServiceabilityCheck code={code} />
      {policy.length > 0 && (
        <Policy key={policy.map(({ value }) => value).join('|')} code={code} fields={policy} reload={reload} />
      )}
    </>
  )
}

function rules({ installation }: InstallationDetail) {
  const list = (values: readonly string[] | null | undefined) =>
    values == null || values.length === 0 ? 'none' : values.map(words).join(', ')
  const { branch, state, accessLevel, fpconLevel, photographyPermitted, imagingRestrictions } = installation
  return [
    ['Branch', [words(branch ?? ''), state ?? ''].filter((part) => part !== '').join(', ') || '—'],
    ['Access', words(accessLevel ?? '—')],
    ['FPCON', fpconLevel ?? '—'],
    [
      'Photography',
      `${photographyPermitted === false ? 'not permitted' : 'permitted'}${imagingRestrictions == null ? '' : ` (${words(imagingRestrictions)})`}`,
    ],
    ['Delivery points', list(installation.supportedDeliveryPoints)],
    ['Proof', list(installation.permittedProofTypes)],
    ['Prohibited cargo', list(installation.prohibitedCargo)],
    ['Policy changed', <Moment at={installation.policyUpdatedAt} />],
  ] as const
}

function Gates({ gates }: { gates: readonly GateNow[] }) {
  if (gates.length === 0) return null
  return (
    <Panel title="Gates" actions={<span class="dim">hours in the gate's own zone</span>}>
      <ul class="rows gates">
        {gates.map(({ name, commercialVehiclesPermitted, hours, timezone, localTime, isOpen, state }) => (
          <li key={name}>
            <span class="gate-head">
              <strong>{name}</strong>
              {isOpen !== null && <OutcomeBadge outcome={isOpen ? 'good' : 'waiting'}>{state}</OutcomeBadge>}
            </span>
            <span>{hours === '' ? 'hours not told' : hours}</span>
            <span class="dim">
              {[
                commercialVehiclesPermitted ? 'commercial vehicles' : 'no commercial vehicles',
                localTime === '' ? '' : `${localTime} there (${timezone})`,
              ]
                .filter((part) => part !== '')
                .join(' · ')}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

function Policy({ code, fields, reload }: { code: string; fields: readonly FormField[]; reload(): Promise<void> }) {
  const [typed, setTyped] = useState<Typed>(() => typedOf(fields))
  const [problems, setProblems] = useState<Record<string, string>>({})
  const { value: changes } = changesOf(fields, typed)
  const names = Object.keys(changes)
  const save = async () => {
    setProblems({})
    const { message } = await post<Done>(`/installations/${encodeURIComponent(code)}/policy`, { changes })
    await reload()
    return message
  }
  return (
    <Panel title="Policy" actions={<span class="dim">affects deliveries under way</span>}>
      <form class="panel-body policy" onSubmit={(event) => event.preventDefault()}>
        {fields.map((field) => (
          <Field
            key={field.path}
            field={field.type === 'list' ? { ...field, choices: undefined as never } : field}
            text={typed[field.path] ?? ''}
            problem={problems[field.path]}
            onType={(text) => setTyped((before) => ({ ...before, [field.path]: text }))}
          />
        ))}
        <div class="form-actions">
          <Action
            label="Save policy"
            type="submit"
            kind="primary"
            command={commandOf(code, changes)}
            run={save}
            disabled={names.length === 0}
            onFailure={(error) => {
              if (!(error instanceof Failed)) return false
              setProblems(
                Object.fromEntries(
                  (error.failure.fieldErrors ?? []).map(({ field, message }) => [
                    field.replace(/\[\d+\]$/, ''),
                    message ?? 'is not valid',
                  ]),
                ),
              )
              return false
            }}
          />
        </div>
      </form>
    </Panel>
  )
}

function commandOf(code: string, changes: Record<string, unknown>): string {
  const sets = Object.entries(changes).map(
    ([name, value]) => `--set ${shellWord(`${name}=${Array.isArray(value) ? JSON.stringify(value) : String(value)}`)}`,
  )
  return `sandbox policy ${code} ${sets.length === 0 ? '--set PATH=VALUE' : sets.join(' ')}`
}
