import { randomUUID } from 'node:crypto'
import { seedDrivers, seedInstallations } from '../core/fixtures.js'
import type { InstallationRow } from '../model.js'
import { DamagedFileError } from '../store/database.js'
import type { Engine } from './engine.js'

/** Fills an empty store with the cast. A store that has one keeps it, and gets the installations that it lacks. */
export function seedStore(engine: Engine): void {
  const isSeeded = () => engine.store.settings.get<boolean>('seeded') === true
  const isNamed = () => engine.store.settings.get<string>('instance') !== undefined
  if (isSeeded() && isNamed() && lackingInstallations(engine).length === 0) return
  engine.store.write(() => {
    if (isSeeded()) addInstallations(engine)
    else fill(engine)
    if (!isNamed()) nameState(engine)
  })
}

/** Gives the state a new name: what was read of it before may not be in it any more. */
export function nameState({ store }: Engine): void {
  store.settings.set('instance', randomUUID())
}

/** Installations that an earlier version did not have: its file was filled without them. */
function lackingInstallations(engine: Engine): InstallationRow[] {
  const known = engine.store.fixtures.installationCodes()
  return seedInstallations(engine.clock.nowMs()).filter(({ code }) => !known.has(code))
}

/** Adds what is lacking, with the credentials of drivers who are still there. */
function addInstallations(engine: Engine): void {
  const { fixtures } = engine.store
  const lacking = lackingInstallations(engine)
  const codes = new Set(lacking.map(({ code }) => code))
  for (const installation of lacking) fixtures.saveInstallation(installation)
  const known = fixtures.drivers()
  for (const { id, credentials } of seedDrivers(engine.clock.nowMs())) {
    const driver = known.get(id)
    const added = credentials.filter(({ installationCode }) => codes.has(installationCode))
    if (driver === undefined || added.length === 0) continue
    fixtures.saveDriver({ ...driver, credentials: [...driver.credentials, ...added] })
  }
}

/**
 * Empties the store and seeds it again: the clock is at real time again, switches are as they were at the start, and the
 * accounts and signing secrets stay, since profiles and receivers out there know them. Of a damaged file nothing can stay: it is set aside, and
 * its new name is returned.
 */
export function resetStore(engine: Engine, keepsEndpoints: boolean): string | undefined {
  try {
    emptyStore(engine, keepsEndpoints)
    return undefined
  } catch (error) {
    if (!(error instanceof DamagedFileError)) throw error
    const kept = engine.store.startOver()
    emptyStore(engine, false)
    return kept
  }
}

function emptyStore(engine: Engine, keepsEndpoints: boolean): void {
  const { store } = engine
  store.write(() => {
    const kept = {
      accounts: store.settings.get('accounts'),
      secrets: store.settings.get('secrets'),
      publicUrl: engine.origin ?? store.settings.get<string>('publicUrl'),
      runs: store.settings.get<number>('runs'),
      switches: engine.initialSwitches,
    }
    const endpoints = keepsEndpoints ? [...store.endpoints.list()] : []
    store.clear()
    for (const [name, value] of Object.entries(kept)) if (value !== undefined) store.settings.set(name, value)
    for (const endpoint of endpoints) store.endpoints.save(endpoint)
    if (engine.initialTimeScale !== undefined) engine.clock.set(engine.clock.nowMs(), engine.initialTimeScale)
    fill(engine)
    nameState(engine)
  })
  engine.draws.restart(engine.random)
}

function fill(engine: Engine): void {
  const nowMs = engine.clock.nowMs()
  for (const installation of seedInstallations(nowMs)) engine.store.fixtures.saveInstallation(installation)
  for (const driver of seedDrivers(nowMs)) engine.store.fixtures.saveDriver(driver)
  engine.store.settings.set('seeded', true)
}
