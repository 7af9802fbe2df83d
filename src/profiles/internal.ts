/** Exports that are loaded only when they are needed. */
export { rememberProductionKey } from './known-keys.js'
