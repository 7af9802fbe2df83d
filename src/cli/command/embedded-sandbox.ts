import { join } from 'node:path'
import type { Sandbox } from '../../sandbox/index.js'

/** Where the embedded sandbox keeps its state. */
export function embeddedFile(dataDir: string): string {
  return join(dataDir, 'sandbox.db')
}

/** What stands for the base address of the sandbox in this process; no socket is opened for it. */
export const embeddedBaseUrl = 'http://127.0.0.1/delivery/v1'

/** Opens the sandbox of the `local` profile in this process. The server's code is loaded here and not before. */
export async function openEmbedded(dataDir: string, options: { replaceDamaged?: boolean } = {}): Promise<Sandbox> {
  const { createSandbox } = await import('../../sandbox/index.js')
  return createSandbox({ ...options, data: embeddedFile(dataDir) })
}
