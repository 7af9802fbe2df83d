import { installations } from '../data/index.js'
import type { DriverRow, InstallationRow } from '../model.js'
import { fixtureInstallations } from './fixture-installations.js'
import * as fleet from './fleet.js'

/** The cast of the sandbox as a new or reset store begins with it. */

type InstallationSeed = Omit<InstallationRow, 'policyUpdatedAtMs'>

const real = installations as InstallationSeed[]

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
