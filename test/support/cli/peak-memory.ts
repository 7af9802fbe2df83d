import type { ChildProcess } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

/** Watches the most memory that a process has had resident, in MB; Linux tells. */
export function watchPeak(child: ChildProcess): () => number {
  let peak = 0
  const watching = setInterval(() => {
    const file = `/proc/${child.pid}/status`
    if (child.exitCode !== null || !existsSync(file)) return
    const [, kilobytes = '0'] = /VmHWM:\s+(\d+)/.exec(readFileSync(file, 'utf8')) ?? []
    peak = Math.max(peak, Number(kilobytes) / 1_024)
  }, 5)
  child.once('exit', () => clearInterval(watching))
  return () => peak
}
