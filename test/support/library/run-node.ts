import { execFile } from 'node:child_process'

/**
 * Runs Node with these arguments until it ends by itself; after 20 seconds it is ended. Node 22 says of its SQLite and its
 * mocked timers that they are experimental; later ones do not.
 */
export function runNode(
  args: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<{ exitCode: number | string | null; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const settings = { timeout: 20_000, encoding: 'utf8' as const, ...options }
    execFile(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], settings, (error, stdout, stderr) =>
      resolve({ exitCode: error === null ? 0 : (error.code ?? error.signal ?? null), stdout, stderr }),
    )
  })
}
