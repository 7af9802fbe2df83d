import type { DriverProfile, Team } from '../contract/index.js'
import { card } from './card.js'
import { plainText, plainValue } from './plain-text.js'
import { paint } from './style.js'
import { cell, idOf, type View } from './view.js'

const columns: View<DriverProfile>['columns'] = [
  { name: 'id', header: 'DRIVER', keep: true },
  { name: 'name', elastic: true },
  {
    name: 'onDuty',
    header: 'DUTY',
    cell: cell<DriverProfile>(({ onDuty }, style) =>
      onDuty == null ? '' : onDuty ? paint(style, 'green', 'on') : paint(style, 'dim', 'off'),
    ),
  },
  { name: 'status' },
  { name: 'vehicleDescription', header: 'VEHICLE', elastic: true },
  { name: 'phoneNumber', header: 'PHONE', narrow: false },
  { name: 'teams', narrow: false, cell: cell<DriverProfile>(({ teams }) => (teams ?? []).map(plainText).join(', ')) },
]

/** Drivers of the fleet. */
export const driverList: View<DriverProfile[]> = {
  id: idOf('id'),
  shows: ['getDriver', 'listDrivers'],
  columns,
  empty: 'No drivers.',
}

/** A driver. */
export const driverView: View<DriverProfile> = {
  id: idOf('id'),
  shows: ['getDriver', 'listDrivers'],
  columns,
  card: (driver, style) =>
    card(
      `${paint(style, 'bold', plainText(driver.id))}  ${plainValue(driver.name)}`,
      [
        ['Duty', driver.onDuty == null ? '' : driver.onDuty ? 'on' : 'off'],
        ['Status', plainValue(driver.status)],
        ['Phone', plainValue(driver.phoneNumber)],
        ['Vehicle', plainValue(driver.vehicleDescription)],
        ['Teams', (driver.teams ?? []).map(plainText).join(', ')],
      ],
      style,
    ),
}

/** Dispatch teams. */
export const teamList: View<Team[]> = {
  id: idOf('id'),
  shows: ['listTeams'],
  empty: 'No teams: only accounts with ownedFleetDispatch have them.',
  columns: [
    { name: 'id', header: 'TEAM', keep: true },
    { name: 'name', elastic: true },
    { name: 'workerCount', header: 'DRIVERS', align: 'right' },
    { name: 'hubDestinationId', header: 'HUB', narrow: false },
  ],
}
