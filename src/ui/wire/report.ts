export interface ReportPage {
  /** How many deliveries were accepted in the period. */
  deliveries: number
  /** A whole document with its styles and charts in it. */
  html: string
  /** What reports can be cut by. */
  groupings: readonly string[]
}
