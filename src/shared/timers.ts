/**
 * Node's own timers: tests that replace the global ones stop time for their code, not for requests that are under way.
 * The build for other platforms takes `timers.web.ts` instead.
 */
export { clearTimeout, setTimeout } from 'node:timers'
