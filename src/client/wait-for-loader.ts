/** Loads the waiting when somebody waits. The build for other platforms takes `wait-for-loader.web.ts` instead. */
export const loadWaitFor = () => import('./wait-for.js')
