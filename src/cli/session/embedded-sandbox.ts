import { statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Transport } from '../../client/index.js'
import type { Sandbox } from '../../sandbox/index.js'
import { dayMs } from '../../shared/durations.js'

/** The state file of the embedded sandbox. */
export function embeddedFile(dataDir: string): string {
  return join(dataDir, 'sandbox.db')
}

/** The base URL of the sandbox in this process; no socket is opened for it. */
export const embeddedBaseUrl = 'http://127.0.0.1/delivery/v1'

/** Opens the sandbox of the `local` profile in this process. Its code is loaded only here. */
export async function openEmbedded(dataDir: string, options: { replaceDamaged?: boolean } = {}): Promise<Sandbox> {
  const { createSandbox } = await import('../../sandbox/index.js')
  return createSandbox({ ...options, data: embeddedFile(dataDir) })
}

/** The transport to a sandbox in this process. */
export async function inProcess(sandbox: Sandbox): Promise<Transport> {
  const { fetchTransport } = await import('../../client/index.js')
  return fetchTransport((request) => sandbox.fetch(request))
}

/** Whether a daily notice is due. The modification time of the file records when it was last printed. */
export function isNoticeDue(file: string, nowMs: number): boolean {
  try {
    const givenMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs
    // The clock may have been set back since.
    if (givenMs !== undefined && Math.abs(nowMs - givenMs) < dayMs) return false
    writeFileSync(file, '', { mode: 0o600 })
    utimesSync(file, nowMs / 1_000, nowMs / 1_000)
    return true
  } catch {
    return true // If nothing can be recorded, the notice is printed each time.
  }
}
