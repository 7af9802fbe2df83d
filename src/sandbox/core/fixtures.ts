import { installations } from '../data/index.js'
import type { DriverRow, GateRow, InstallationRow } from '../model.js'
import * as fleet from './fleet.js'

/** The state that the fixtures lie in: hidden from the list of installations unless it is asked for. */
export const fixtureState = 'ZZ'

type Seed = Omit<InstallationRow, 'policyUpdatedAtMs'>

const zone = 'America/New_York'
const everyDay = [1, 2, 3, 4, 5, 6, 7]

const alwaysOpen: GateRow = {
  name: 'Main Gate',
  commercialVehiclesPermitted: true,
  hours: '24/7',
  timezone: zone,
  schedule: [{ days: everyDay, open: '00:00', close: '24:00' }],
  closedOnFederalHolidays: false,
}
const carsOnly: GateRow = { ...alwaysOpen, name: 'Visitor Gate', commercialVehiclesPermitted: false }

/** Open for five minutes a week: closed whenever somebody tries it, and yet it opens again. */
const nearlyAlwaysClosed: GateRow = {
  ...alwaysOpen,
  hours: 'Sun 07:00-07:05',
  schedule: [{ days: [7], open: '07:00', close: '07:05' }],
}

function camp(code: string, title: string, changes: Partial<Seed> = {}): Seed {
  return {
    code,
    name: `Camp Example (${title})`,
    branch: 'joint',
    state: fixtureState,
    city: 'Camp Example',
    postalCode: '28310',
    latitude: 35.1245,
    longitude: -79.0434,
    timezone: zone,
    acceptingDeliveries: true,
    accessLevel: 'id_required',
    fpconLevel: 'normal',
    photographyPermitted: true,
    supportedDeliveryPoints: ['cq_desk', 'mailroom', 'gate_handoff'],
    permittedProofTypes: ['photo', 'signature', 'pin_code', 'barcode'],
    prohibitedCargo: ['controlled_cargo'],
    gates: [alwaysOpen, carsOnly],
    ...changes,
  }
}

const noPhotography = { photographyPermitted: false, imagingRestrictions: 'no_recording_devices' }

/** Invented installations, one for every answer that an installation can give. */
export const fixtureInstallations: readonly Seed[] = [
  camp('ZZOK', 'serves everything'),
  camp('ZZGATECLOSED', 'gate closed', { gates: [nearlyAlwaysClosed] }),
  camp('ZZFPCON', 'elevated posture', { fpconLevel: 'charlie' }),
  camp('ZZCLOSED', 'not accepting', { acceptingDeliveries: false }),
  camp('ZZNOTSERVED', 'not served', { acceptingDeliveries: false }),
  camp('ZZNODRIVER', 'no credentialed driver'),
  camp('ZZESCORT', 'escort required', { accessLevel: 'escort_required' }),
  camp('ZZNOPHOTO', 'no photography', { ...noPhotography, permittedProofTypes: ['signature', 'pin_code', 'barcode'] }),
  camp('ZZNOPHOTOSIG', 'barcode only', { ...noPhotography, permittedProofTypes: ['barcode'] }),
  camp('ZZDRY', 'dry', { prohibitedCargo: ['alcohol', 'controlled_cargo'] }),
  camp('ZZGATEONLY', 'gate handoff only', { supportedDeliveryPoints: ['gate_handoff'] }),
  camp('ZZFLAP', 'restless policy'),
]

/** Listed and readable, but nothing is delivered there. */
export const unservedInstallation = 'ZZNOTSERVED'

/** Its escorts work from 08:00 to 16:00 local time. */
export const escortedInstallation = 'ZZESCORT'

/** Its policy changes whenever it is read. */
export const restlessInstallation = 'ZZFLAP'

/** An order that goes there at once finds the gate closed. */
export const closedGateInstallation = 'ZZGATECLOSED'

/** The cast of the sandbox as a new or reset store begins with it. */

type InstallationSeed = Omit<InstallationRow, 'policyUpdatedAtMs'>

const real = installations as readonly InstallationSeed[]

/** Real installations with invented policies, and the invented ones of the state `ZZ`. */
export function seedInstallations(nowMs: number): InstallationRow[] {
  return [...real, ...fixtureInstallations].map((seed) => ({ ...seed, policyUpdatedAtMs: nowMs }))
}

/** The drivers, with credentials that count from this moment. */
export function seedDrivers(nowMs: number): DriverRow[] {
  return fleet.seedDrivers(
    nowMs,
    [...real, ...fixtureInstallations].map((seed) => seed.code),
  )
}
