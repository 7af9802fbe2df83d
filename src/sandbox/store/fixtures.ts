import type { DriverRow, InstallationRow } from '../model.js'
import type { Database } from './database.js'

/** Installations and drivers: few, read at nearly every request, so they are kept in memory until somebody writes. */
export class FixtureTable {
  private knownInstallations: Map<string, InstallationRow> | undefined
  private knownDrivers: Map<string, DriverRow> | undefined

  constructor(private readonly database: Database) {}

  /** Forgets what is kept in memory: another process has written. */
  refresh(): void {
    this.knownInstallations = undefined
    this.knownDrivers = undefined
  }

  /** By code, in their own order. */
  installations(): ReadonlyMap<string, InstallationRow> {
    this.knownInstallations ??= new Map(
      this.records<InstallationRow>('SELECT record FROM installations ORDER BY position').map((row) => [row.code, row]),
    )
    return this.knownInstallations
  }

  /** By id, in their own order. */
  drivers(): ReadonlyMap<string, DriverRow> {
    this.knownDrivers ??= new Map(
      this.records<DriverRow>('SELECT record FROM drivers ORDER BY position').map((row) => [row.id, row]),
    )
    return this.knownDrivers
  }

  private records<Row>(sql: string): Row[] {
    return this.database.all(sql).map((columns) => this.database.json<Row>(columns.record))
  }

  saveInstallation(installation: InstallationRow): void {
    const sql = `INSERT INTO installations (code, record) VALUES (?, ?)
      ON CONFLICT (code) DO UPDATE SET record = excluded.record`
    this.database.run(sql, installation.code, JSON.stringify(installation))
    this.knownInstallations = undefined
  }

  saveDriver(driver: DriverRow): void {
    const sql = `INSERT INTO drivers (driver_id, record) VALUES (?, ?)
      ON CONFLICT (driver_id) DO UPDATE SET record = excluded.record`
    this.database.run(sql, driver.id, JSON.stringify(driver))
    this.knownDrivers = undefined
  }

  removeDriver(driverId: string): void {
    this.database.run('DELETE FROM drivers WHERE driver_id = ?', driverId)
    this.knownDrivers = undefined
  }
}
