import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { type CountryMap, countryMapShape, installationMarks } from '../../../../drawings/country-map.js'
import { shellWord } from '../../../../shared/command-words.js'
import type { Done, FormField } from '../../../wire/deliveries.js'
import type {
  GateNow,
  InstallationDetail,
  InstallationSummary,
  ServiceabilityResult,
} from '../../../wire/installations.js'
import { assignmentsOf, changesOf, type Typed, typedOf } from '../../models/form.js'
import { command, words } from '../../models/text.js'
import { Failed } from '../../state/api.js'
import { setQuery } from '../../state/router.js'
import { useAccount } from '../account.js'
import { Action } from '../action.js'
import { Field } from '../form-fields.js'
import { useLoaded, useReloads } from '../hooks.js'
import { CountryToCome, Drawing, Empty, Facts, Moment, OutcomeBadge, Panel, Unread } from '../pieces.js'

/** One installation: its rules, its gates with their hours now, a check, and its policy to be changed. */
export function InstallationCard({ code }: { code: string }) {
  const account = useAccount()
  const {
    value: detail,
    isMissing,
    reload,
  } = useLoaded(
    () => account.get<InstallationDetail>(`/installations/${encodeURIComponent(code)}`),
    [code, account.name],
  )
  useReloads(reload, ({ title }) => title === 'installation.access_policy_changed')
  if (isMissing) return <Empty title={`There is no installation ${code}.`} />
  if (detail === undefined) return <Unread what={code} isQuiet />
  const { installation, gates, check, policy } = detail
  return (
    <>
      <Panel
        title={`${code} · ${installation.name ?? ''}`}
        actions={
          installation.acceptingDeliveries == null ? undefined : (
            <OutcomeBadge outcome={installation.acceptingDeliveries ? 'good' : 'bad'}>
              {installation.acceptingDeliveries ? 'accepts deliveries' : 'closed to deliveries'}
            </OutcomeBadge>
          )
        }
      >
        <Facts rows={rules(detail, account.addressOf)} />
      </Panel>
      <Gates gates={gates} hasForm={policy.length > 0} />
      <ServiceabilityCheck code={code} fields={check} />
      {policy.length > 0 && (
        <Policy key={policy.map(({ value }) => value).join('|')} code={code} fields={policy} reload={reload} />
      )}
    </>
  )
}

function rules({ installation }: InstallationDetail, addressOf: ReturnType<typeof useAccount>['addressOf']) {
  const list = (values: readonly string[] | null | undefined) =>
    values == null ? '—' : values.length === 0 ? 'none' : values.map(words).join(', ')
  const { branch, state, accessLevel, fpconLevel, photographyPermitted, imagingRestrictions } = installation
  return [
    ['Branch', [words(branch ?? ''), state ?? ''].filter((part) => part !== '').join(', ') || '—'],
    ['Access', words(accessLevel ?? '—')],
    ['FPCON', fpconLevel ?? '—'],
    [
      'Photography',
      [
        photographyPermitted == null ? '—' : photographyPermitted ? 'permitted' : 'not permitted',
        imagingRestrictions == null ? '' : `(${words(imagingRestrictions)})`,
      ].join(' '),
    ],
    ['Delivery points', list(installation.supportedDeliveryPoints)],
    ['Proof', list(installation.permittedProofTypes)],
    ['Prohibited cargo', list(installation.prohibitedCargo)],
    [
      'Policy changed',
      <>
        <Moment at={installation.policyUpdatedAt} />{' '}
        <a href={addressOf('/installations', { view: 'changes', code: installation.code })}>what it touches</a>
      </>,
    ],
  ] as const
}

/** The form below calls a gate by its path. */
function Gates({ gates, hasForm }: { gates: readonly GateNow[]; hasForm: boolean }) {
  if (gates.length === 0) return null
  return (
    <Panel title="Gates" actions={<span class="dim">hours in the gate's own zone</span>}>
      <ul class="rows gates">
        {gates.map(({ name, commercialVehiclesPermitted, hours, timezone, localTime, isOpen, state }, index) => (
          <li key={name}>
            <span class="gate-head">
              <strong>{name}</strong>
              {isOpen !== null && <OutcomeBadge outcome={isOpen ? 'good' : 'warn'}>{state}</OutcomeBadge>}
            </span>
            <span>{hours === '' ? 'hours not told' : hours}</span>
            <span class="dim">
              {[
                hasForm ? `gates.${index}` : '',
                commercialVehiclesPermitted === null
                  ? ''
                  : commercialVehiclesPermitted
                    ? 'commercial vehicles'
                    : 'no commercial vehicles',
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

interface PolicyProps {
  code: string
  fields: readonly FormField[]
  reload(): Promise<void>
}

/** The editable parts of an installation in a sandbox: its rules, and the hours of each gate. */
function Policy({ code, fields, reload }: PolicyProps) {
  const account = useAccount()
  const [typed, setTyped] = useState<Typed>(() => typedOf(fields))
  const [problems, setProblems] = useState<Record<string, string>>({})
  const { value: changes } = changesOf(fields, typed)
  const names = Object.keys(changes)
  const save = async () => {
    setProblems({})
    const { message } = await account.post<Done>(`/installations/${encodeURIComponent(code)}/policy`, { changes })
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
            command={policyCommand(code, fields, typed)}
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

/** The command has no other way to clear a field than to set it to nothing. */
function policyCommand(code: string, fields: readonly FormField[], typed: Typed): string {
  const lists = new Set(fields.filter(({ type }) => type === 'list').map(({ path }) => path))
  const sets = assignmentsOf(fields, typed).map(([flag, value = '']) =>
    flag === '--clear' ? `${value}=${lists.has(value) ? '[]' : 'null'}` : value,
  )
  return [
    command`sandbox policy ${code}`,
    ...(sets.length === 0 ? ['--set PATH=VALUE'] : sets.map((set) => `--set ${shellWord(set)}`)),
  ].join(' ')
}

/** Asks whether a stop at an installation can be served. It costs nothing and changes nothing. */
function ServiceabilityCheck({ code, fields }: { code: string; fields: readonly FormField[] }) {
  const account = useAccount()
  const [typed, setTyped] = useState<Typed>({})
  const [result, setResult] = useState<ServiceabilityResult | undefined>(undefined)
  // The contract asks by a POST, and a read-only page sends none.
  if (account.isReadOnly) return null
  const given = Object.entries(typed).filter(([, text]) => text.trim() !== '')
  const check = async () => {
    const query = new URLSearchParams(given)
    const found = await account.get<ServiceabilityResult>(
      `/installations/${encodeURIComponent(code)}/serviceability?${query}`,
    )
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
          <Action label="Check serviceability" type="submit" command={checkCommand(code, typed)} run={check} />
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

function checkCommand(code: string, typed: Typed): string {
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

interface InstallationMapProps {
  installations: readonly InstallationSummary[]
  selected: string
}

/** The country with its installations. Its outline is a separate file, loaded by the first screen that shows it. */
export function InstallationMap({ installations, selected }: InstallationMapProps) {
  const frame = useRef<HTMLElement>(null)
  const [map, setMap] = useState<CountryMap | undefined>(undefined)
  useEffect(() => {
    void import('../../../../drawings/country-map.generated.js').then(({ countryMap }) => setMap(countryMap))
  }, [])
  // A pointer opens a mark; the list beside the map has a link for each, which the keyboard reaches.
  useEffect(() => {
    const figure = frame.current
    figure?.addEventListener('click', openMark)
    return () => figure?.removeEventListener('click', openMark)
  }, [])
  const marks = useMemo(() => (map === undefined ? [] : installationMarks(map, installations)), [map, installations])
  const missing = installations.length - marks.length
  return (
    <figure class="country-frame" ref={frame}>
      {map === undefined ? <CountryToCome /> : <Drawing shape={countryMapShape(map, marks, { selected })} />}
      <figcaption class="dim">
        Full: accepts deliveries. Hollow: closed.
        {map !== undefined && missing > 0 ? ` ${missing} are not on the map: their place is not known.` : ''}
      </figcaption>
    </figure>
  )
}

function openMark({ target }: Event): void {
  const code = target instanceof Element ? target.closest('[data-code]')?.getAttribute('data-code') : undefined
  if (typeof code === 'string') setQuery({ code })
}
