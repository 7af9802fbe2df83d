import { spawn } from 'node:child_process'
import { win32 } from 'node:path'
import type { ProcessContext } from './context.js'

/** On Windows by its path: a name is looked for in the working directory first. */
function openerOf(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): string {
  if (platform === 'win32') return win32.join(env.SystemRoot ?? 'C:\\Windows', 'explorer.exe')
  return platform === 'darwin' ? 'open' : 'xdg-open'
}

/** Opens an address with the system's opener, which outlives this program; calls `onMissing` if there is none. */
export function openUrl({ env }: Pick<ProcessContext, 'env'>, address: URL, onMissing: (opener: string) => void): void {
  const opener = openerOf(process.platform, env)
  spawn(opener, [address.href], { stdio: 'ignore', detached: true, env })
    .on('error', () => onMissing(opener))
    .unref()
}
