/** What the command line uses of the sandbox beyond its public entry. */
export { switchChoices, switchSummaries } from './switches.js'
