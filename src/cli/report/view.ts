import type { View } from '../../render/view.js'
import { type Activity, metricRows, type Report, reportText } from '../../report/index.js'

/** A report: a page for people, one row per figure for pipes and CSV. */
export function reportView(activity: Activity): View<Report> {
  return {
    id: (row) => (row as { metric: string }).metric,
    rows: metricRows,
    pipeHeader: true,
    columns: [
      { name: 'metric' },
      { name: 'key' },
      { name: 'value' },
      { name: 'p50' },
      { name: 'p90' },
      { name: 'p95' },
      { name: 'n' },
      { name: 'before' },
    ],
    card: (report, style) => reportText(report, activity, style),
  }
}
