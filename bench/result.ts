/** One line of the table: what was aimed at, what came out. */
export interface Result {
  id: string
  aim: string
  bar: string
  /** The figures behind the verdict, with their units in the text. */
  measured: string
  /** Each ratio or figure that a bar speaks of. */
  values: Record<string, number>
  met: boolean
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

/** One row of the benchmark as it was last measured. */
export interface MeasuredRow {
  /** Date and time of the run, UTC. */
  measuredAt: string
  machine: { cores: number; node: string }
  results: Result[]
  plots: Pick<Plot, 'file' | 'title'>[]
}

export const round = (value: number, digits = 2) => Number(value.toFixed(digits))
