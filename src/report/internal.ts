/** Only the shapes of a report, for a page that draws it: what draws on terminals is not needed there. */
export type { Activity } from './activity.js'
export type { Report } from './report.js'
