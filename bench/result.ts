/** A line of the table: a target and its result. */
export interface Result {
  id: string
  aim: string
  bar: string
  /** The figures, with their units. */
  measured: string
  /** The ratios and figures that the target is about; `low` and `high` bound the middle half of the pairs of `ratio`. */
  values: Record<string, number>
  /** Whether a larger or a smaller `ratio` is faster. */
  faster?: 'larger' | 'smaller'
  /** Unknown where the machine is too small to judge. */
  met?: boolean
}

/** What is said of a target. */
export function verdict({ met }: Result): 'met' | 'missed' | 'not judged' {
  if (met === undefined) return 'not judged'
  return met ? 'met' : 'missed'
}

export interface Series {
  label: string
  points: { x: number; y: number }[]
}

export interface Plot {
  file: string
  title: string
  xLabel: string
  yLabel: string
  logarithmic: boolean
  series: Series[]
}

export interface Outcome {
  results: Result[]
  plots?: Plot[]
}

/** A row of the benchmark with its latest results. */
export interface MeasuredRow {
  /** Date and time of the run, UTC. */
  measuredAt: string
  machine: { cores: number; node: string }
  results: Result[]
  plots: Pick<Plot, 'file' | 'title'>[]
}

export const round = (value: number, digits = 2) => Number(value.toFixed(digits))
