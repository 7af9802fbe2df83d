export interface ReportPage {
  /** Number of deliveries accepted in the period. */
  deliveries: number
  /** A whole document with its styles and charts in it. */
  html: string
  /** The groupings of a report. */
  groupings: readonly string[]
}
