import { parseHoursText } from '../../trade/gate-hours.js'
import type { InstallationRow } from '../model.js'
import { drawnRows } from './drawn-installations.generated.js'

/** An installation as a new sandbox begins with it. */
type Seed = Omit<InstallationRow, 'policyUpdatedAtMs'>

const always = '24/7'
const usualCargo = 'controlled_cargo'

const accessLevels = { i: 'id_required', e: 'escort_required', r: 'restricted' } as const
const fpconLevels: Readonly<Record<string, string>> = { n: 'normal', a: 'alpha', b: 'bravo' }
const deliveryPoints: readonly (readonly string[])[] = [
  ['cq_desk', 'mailroom', 'gate_handoff'],
  ['mailroom', 'gate_handoff'],
  ['mailroom', 'gate_handoff', 'visitor_center'],
  ['gate_handoff', 'visitor_center'],
]

/** Names of gates, whether they admit commercial vehicles, and their hours. */
const gates: readonly (readonly (readonly [name: string, isCommercial: boolean, hours: string])[])[] = [
  [
    ['Main Gate', false, always],
    ['Commercial Gate', true, 'Mon-Fri 06:00-18:00; Sat 07:00-13:00'],
  ],
  [['Main Gate', true, always]],
  [
    ['Main Gate', false, always],
    ['Commercial Gate', true, 'Mon-Sun 05:00-22:00'],
    ['Back Gate', false, 'Mon-Fri 06:00-18:00'],
  ],
  [['Main Gate', true, 'Mon-Fri 05:00-21:00; Sat-Sun 07:00-19:00']],
]

/**
 * Installations whose names and places are real, and whose policies, gates and hours are drawn: nothing of these says
 * anything about a real installation.
 */
export function drawnInstallations(): Seed[] {
  return drawnRows.trim().split('\n').map(installationOf)
}

function installationOf(line: string): Seed {
  const [
    code = '',
    name = '',
    branch = '',
    state = '',
    city = '',
    postalCode = '',
    north,
    east,
    timezone = '',
    policy,
  ] = line.split('|')
  const [accepting, access = 'i', fpcon = 'n', photography, points, cargo, gateSet] = policy ?? ''
  const photographyPermitted = photography === 'y'
  return {
    code,
    name,
    branch,
    state,
    city,
    postalCode,
    latitude: Number(north),
    longitude: Number(east),
    timezone,
    acceptingDeliveries: accepting === 'y',
    accessLevel: accessLevels[access as keyof typeof accessLevels],
    fpconLevel: fpconLevels[fpcon] ?? 'normal',
    photographyPermitted,
    ...(photography === 'r' ? { imagingRestrictions: 'no_recording_devices' } : {}),
    supportedDeliveryPoints: [...(deliveryPoints[Number(points)] ?? [])],
    permittedProofTypes: [...(photographyPermitted ? ['photo'] : []), 'signature', 'pin_code', 'barcode'],
    prohibitedCargo: cargo === '1' ? ['alcohol', usualCargo] : [usualCargo],
    gates: (gates[Number(gateSet)] ?? []).map(([gate, commercialVehiclesPermitted, hours]) => ({
      name: gate,
      commercialVehiclesPermitted,
      hours,
      timezone,
      schedule: parseHoursText(hours)?.schedule ?? [],
      closedOnFederalHolidays: false,
    })),
  }
}
