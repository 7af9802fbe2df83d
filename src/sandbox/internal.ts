/** The sandbox's exports for the other modules of this package, beyond its public entry. */

export { accounts } from './core/accounts.js'
export { knownPlaces } from './core/geo/places.js'
export { stores } from './core/geo/stores.js'
export { plannableStatuses, planTraffic } from './history/traffic.js'
export { servedSandboxOptionNames } from './options.js'
export { switchChoices, switchSummaries } from './switches.js'
