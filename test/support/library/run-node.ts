import { execFile } from 'node:child_process'

/** Runs Node with these arguments until it ends by itself; after 20 seconds it is ended. */
export function runNode(
  args: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<{ exitCode: number | string | null; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const settings = { timeout: 20_000, encoding: 'utf8' as const, ...options }
    execFile(process.execPath, args, settings, (error, stdout, stderr) =>
      resolve({ exitCode: error === null ? 0 : (error.code ?? error.signal ?? null), stdout, stderr }),
    )
  })
}
