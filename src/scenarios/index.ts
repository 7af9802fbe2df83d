/** Scenarios: a period of traffic, played against an app in virtual time, and what is expected of the app. */

export type { ExpectationResult } from './expectations.js'
export { playJunit } from './junit.js'
export { type PlayOptions, type PlayProgress, type PlayReport, playScenario } from './player.js'
export { builtInScenario, readScenario, scenarioNames } from './read-scenario.js'
export { expectations, type Scenario, scenarioOf, scenarioSchema } from './scenario.js'
