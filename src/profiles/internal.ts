/** What is loaded only once it is needed. */
export { rememberProductionKey } from './remember-key.js'
