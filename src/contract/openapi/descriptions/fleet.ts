import type { Descriptions } from './description.js'

/** What is said of drivers and teams. */
export const fleet: Descriptions = {
  DriverProfile: {
    self: 'A driver of the fleet. Marketplace accounts may only see drivers on active deliveries.',
    id: 'The id of the driver.',
    status: 'Whether the driver takes part in dispatch at all. Null if that is not known.',
    teams: 'The ids of the teams of the driver. Null if they are not known.',
  },
  Team: {
    self: 'A dispatch team of an owned fleet.',
    id: 'The id of the team.',
    hubDestinationId: 'The id of the place that the team starts from. Null if it has none.',
    workerCount: 'How many drivers it has. Null if that is not known.',
  },
}
