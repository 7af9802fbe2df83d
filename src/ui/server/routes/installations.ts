import {
  accessLevels,
  deliveryPoints,
  fpconLevels,
  type Gate,
  type Installation,
  permittedProofTypes,
} from '../../../contract/index.js'
import { gateStateText } from '../../../render/installation-view.js'
import { isRecord } from '../../../shared/json.js'
import { gateStateOf } from '../../../trade/gate-hours.js'
import { localTimeText } from '../../../trade/zoned-time.js'
import type { Done, FormField } from '../../wire/deliveries.js'
import type {
  GateNow,
  InstallationDetail,
  InstallationSummary,
  ServiceabilityResult,
} from '../../wire/installations.js'
import { serviceNowMs } from '../clock.js'
import { readChanges } from '../installations/changes.js'
import { controlOf, parameter, Refused, type Route, type RouteCall } from '../route.js'

export const installationRoutes: readonly Route[] = [
  { method: 'GET', path: '/installations', handle: list },
  { method: 'GET', path: '/installations/:code', handle: detail },
  { method: 'GET', path: '/policy-changes', handle: readChanges },
  { method: 'GET', path: '/installations/:code/serviceability', handle: check },
  { method: 'POST', path: '/installations/:code/policy', handle: savePolicy },
]

async function list({ backend }: RouteCall): Promise<{ installations: InstallationSummary[] }> {
  const installations: InstallationSummary[] = []
  for await (const page of backend.client.pages('listInstallations', { limit: 100 }))
    for (const { code, name, branch, state, acceptingDeliveries, accessLevel } of page.installations)
      installations.push({
        code,
        name: name ?? code,
        branch: branch ?? '',
        state: state ?? '',
        acceptingDeliveries: acceptingDeliveries ?? null,
        accessLevel: accessLevel ?? '',
      })
  return { installations }
}

async function detail(call: RouteCall): Promise<InstallationDetail> {
  const { backend } = call
  const installation = await backend.client.getInstallation({ installationCode: parameter(call, 'code') })
  const nowMs = await serviceNowMs(backend)
  return {
    installation,
    gates: (installation.gates ?? []).map((gate) => gateNow(gate, nowMs)),
    check: checkFields,
    policy: backend.control === undefined || backend.readOnly ? [] : policyFields(installation),
  }
}

function gateNow(gate: Gate, nowMs: number): GateNow {
  return {
    name: gate.name,
    commercialVehiclesPermitted: gate.commercialVehiclesPermitted ?? null,
    hours: gate.hours ?? '',
    timezone: gate.timezone ?? '',
    localTime: gate.timezone == null ? '' : localTimeText(nowMs, gate.timezone),
    isOpen: gateStateOf(gate, nowMs)?.isOpen ?? null,
    state: gateStateText(gate, nowMs),
  }
}

const checkFields: FormField[] = [
  blank('dropoff.address', { example: '12 Main St, Fayetteville, NC' }),
  blank('dropoff.unit.deliveryPoint', { type: 'choice', choices: [...deliveryPoints] }),
  blank('package.contains', { example: 'alcohol, controlled_cargo' }),
  blank('deliverAt', { example: '2026-11-22T18:00:00Z' }),
]

function blank(path: string, rest: Partial<FormField>): FormField {
  return { path, type: 'text', required: false, value: '', ...rest }
}

/** The fields of a policy that the sandbox lets change, with their current values. */
function policyFields(installation: Installation): FormField[] {
  const field = (path: keyof Installation & string, rest: Partial<FormField>) =>
    blank(path, { value: fieldText(installation[path]), ...rest })
  return [
    field('acceptingDeliveries', { type: 'boolean' }),
    field('accessLevel', { type: 'choice', choices: [...accessLevels] }),
    field('fpconLevel', { type: 'choice', choices: [...fpconLevels] }),
    field('photographyPermitted', { type: 'boolean' }),
    field('imagingRestrictions', { maxLength: 100 }),
    field('supportedDeliveryPoints', { type: 'list', choices: [...deliveryPoints] }),
    field('permittedProofTypes', { type: 'list', choices: [...permittedProofTypes] }),
    field('prohibitedCargo', { type: 'list' }),
    ...(installation.gates ?? []).map(({ hours }, index) =>
      blank(`gates.${index}.hours`, { example: 'Mon-Fri 05:00-21:00; PH off', value: hours ?? '' }),
    ),
  ]
}

function fieldText(value: unknown): string {
  if (value === undefined || value === null) return ''
  return Array.isArray(value) ? value.join(', ') : String(value)
}

/** A read, though the contract asks by a POST: the service evaluates and changes nothing. */
async function check(call: RouteCall): Promise<ServiceabilityResult> {
  const { backend, query } = call
  const line = (name: string) => query.get(name)?.trim() ?? ''
  const contains = line('package.contains')
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
  const point = line('dropoff.unit.deliveryPoint')
  const gate = line('dropoff.installation.gate') || undefined
  const at = line('deliverAt')
  const address = line('dropoff.address')
  const request = {
    dropoff: {
      address: address || undefined,
      installation: { code: parameter(call, 'code'), gate },
      unit: point === '' ? undefined : { deliveryPoint: point },
    },
    package: contains.length === 0 ? undefined : { contains },
    deliverAt: at || undefined,
  }
  const answer = await backend.client.checkServiceability({ body: request as never })
  return { answer }
}

async function savePolicy(call: RouteCall): Promise<Done> {
  const { backend, body } = call
  const code = parameter(call, 'code')
  const { changes } = body
  if (!isRecord(changes) || Object.keys(changes).length === 0)
    throw new Refused(400, 'VALIDATION_ERROR', 'No field was changed.')
  await controlOf(backend)('PUT', `/installations/${encodeURIComponent(code)}`, changes)
  return { message: `Saved the policy of ${code}: ${Object.keys(changes).join(', ')}.` }
}
