/** Scenarios: a period of traffic, played against an app in virtual time, and what is expected of the app. */

export type { ExpectationResult } from './expectations.js'
export { playJunit } from './junit.js'
export { builtInScenario, scenarioNames } from './library.js'
export { type PlayOptions, type PlayProgress, type PlayReport, playScenario } from './player.js'
export { readScenario } from './read-scenario.js'
export { expectations, type Scenario, scenarioOf, scenarioSchema } from './scenario.js'
