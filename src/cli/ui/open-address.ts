import { spawn } from 'node:child_process'

const openers: Partial<Record<NodeJS.Platform, string>> = { darwin: 'open', win32: 'explorer' }

/** Opens an address in the user's browser; `onMissing` is told the name of the program if there is none. */
export function openAddress(address: string, env: NodeJS.ProcessEnv, onMissing: (opener: string) => void): void {
  const opener = openers[process.platform] ?? 'xdg-open'
  spawn(opener, [address], { stdio: 'ignore', detached: true, env })
    .on('error', () => onMissing(opener))
    .unref()
}
