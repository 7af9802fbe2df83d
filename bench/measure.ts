import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** A command to time: the program, its arguments and additional environment variables. */
export interface Command {
  file: string
  arguments: string[]
  env?: NodeJS.ProcessEnv
  cwd?: string
}

export interface Run {
  wallMs: number
  exitCode: number | null
  peakBytes: number
  stdoutBytes: number
  /** Resident memory, sampled every 50 ms, in bytes. */
  memorySamples: number[]
}

/** Runs a command to its end, discards its output and measures it from outside. */
export function timeCommand(command: Command, { sampleMemory = false } = {}): Promise<Run> {
  return new Promise((resolve, reject) => {
    const started = process.hrtime.bigint()
    const child = spawn(command.file, command.arguments, {
      stdio: ['ignore', 'pipe', 'pipe'],
      cwd: command.cwd,
      env: { ...process.env, ...command.env },
    })
    let stdoutBytes = 0
    let stderr = ''
    let peakBytes = 0
    const memorySamples: number[] = []
    const sampler = sampleMemory
      ? setInterval(() => {
          const { resident, peak } = memoryOf(child)
          if (resident > 0) memorySamples.push(resident)
          peakBytes = Math.max(peakBytes, peak)
        }, 50)
      : undefined
    child.stdout.on('data', (chunk: Buffer) => {
      stdoutBytes += chunk.length
    })
    child.stderr.on('data', (chunk: Buffer) => {
      stderr = (stderr + chunk.toString()).slice(-2_000)
    })
    child.on('error', reject)
    child.on('close', (exitCode) => {
      clearInterval(sampler)
      const wallMs = Number(process.hrtime.bigint() - started) / 1e6
      if (exitCode !== 0)
        reject(new Error(`${command.file} ${command.arguments.join(' ')} ended with ${exitCode}: ${stderr}`))
      else resolve({ wallMs, exitCode, peakBytes, stdoutBytes, memorySamples })
    })
  })
}

/** Resident and peak resident memory of a process, in bytes; zeros if the system does not report them. */
export function memoryOf(child: ChildProcess): { resident: number; peak: number } {
  try {
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
    const kilobytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0)
    return { resident: kilobytes('VmRSS') * 1024, peak: kilobytes('VmHWM') * 1024 }
  } catch {
    return { resident: 0, peak: 0 }
  }
}

/** CPU time that a process and those that it has started have used so far, in milliseconds; 0 if the system does not say. */
export function cpuMsOf(child: ChildProcess): number {
  const usedBy = (pid: number): number => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      const started = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
      const own = (Number(fields[11]) + Number(fields[12])) * millisecondsPerTick
      return started.reduce((sum, one) => sum + usedBy(Number(one)), own)
    } catch {
      return 0
    }
  }
  return usedBy(child.pid ?? 0)
}

const millisecondsPerTick = 10

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const high = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? high : ((sorted[middle - 1] ?? high) + high) / 2
}

/** Measures in turn, A B C A B C …, so that a drifting machine affects all alike. The first round is a warm-up. */
export async function inTurn(rounds: number, contestants: readonly (() => Promise<number>)[]): Promise<number[][]> {
  const figures: number[][] = contestants.map(() => [])
  for (let round = 0; round <= rounds; round++) {
    for (const [index, measure] of contestants.entries()) {
      const figure = await measure()
      if (round > 0) figures[index]?.push(figure)
    }
  }
  return figures
}

/** The ratios of pairs that were measured side by side: the median, and the range that the middle half of them fills. */
export interface PairedRatio {
  ratio: number
  low: number
  high: number
}

export function pairedRatio(ours: readonly number[], theirs: readonly number[]): PairedRatio {
  const ratios = ours.map((figure, index) => figure / (theirs[index] ?? Number.NaN)).sort((a, b) => a - b)
  const at = (share: number) => ratios[Math.round((ratios.length - 1) * share)] ?? Number.NaN
  return { ratio: median(ratios), low: at(0.25), high: at(0.75) }
}

/** The slope of a line fitted to the points on a log-log scale: 1 if the cost is proportional to the size. */
export function exponent(points: readonly { size: number; cost: number }[]): number {
  const logs = points.map(({ size, cost }) => [Math.log(size), Math.log(cost)] as const)
  const mean = (pick: 0 | 1) => logs.reduce((sum, log) => sum + log[pick], 0) / logs.length
  const [meanX, meanY] = [mean(0), mean(1)]
  const covariance = logs.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0)
  return covariance / logs.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0)
}

/** Median memory of the last quarter of a run divided by that of its second quarter: about 1 if memory stays flat. */
export function flatness(samples: readonly number[]): number {
  const quarter = Math.floor(samples.length / 4)
  return median(samples.slice(-quarter)) / median(samples.slice(quarter, 2 * quarter))
}
