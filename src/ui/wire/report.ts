import type { Activity, Report } from '../../report/internal.js'

export const reportPeriods = ['24h', '7d', '14d', '29d'] as const
export const reportGroupings = ['store', 'hour', 'day', 'installation', 'reason'] as const

export interface ReportAnswer {
  report: Report
  activity: Activity
}
