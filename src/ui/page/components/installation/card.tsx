import type { GateNow, InstallationDetail } from '../../../wire/installations.js'
import { words } from '../../models/text.js'
import { get } from '../../state/api.js'
import { addressOf } from '../../state/router.js'
import { useLoaded, useReloads } from '../hooks.js'
import { Empty, Facts, Moment, OutcomeBadge, Panel, Unread } from '../pieces.js'
import { Policy } from './policy.js'
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
        <Facts rows={rules(detail)} />
      </Panel>
      <Gates gates={gates} hasForm={policy.length > 0} />
      <ServiceabilityCheck code={code} fields={check} />
      {policy.length > 0 && (
        <Policy key={policy.map(({ value }) => value).join('|')} code={code} fields={policy} reload={reload} />
      )}
    </>
  )
}

function rules({ installation }: InstallationDetail) {
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
