import { spawn } from 'node:child_process'
import type { ProcessContext } from './context.js'

const openers: Partial<Record<NodeJS.Platform, string>> = { darwin: 'open', win32: 'explorer' }

/** Opens an address with the system's opener, which outlives this program; calls `onMissing` if there is none. */
export function openUrl({ env }: Pick<ProcessContext, 'env'>, address: URL, onMissing: (opener: string) => void): void {
  const opener = openers[process.platform] ?? 'xdg-open'
  spawn(opener, [address.href], { stdio: 'ignore', detached: true, env })
    .on('error', () => onMissing(opener))
    .unref()
}
