import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join, win32 } from 'node:path'
import { makeFolder, makePrivateFile } from '../../shared/directory.js'
import { escapeHtml } from '../../shared/texts.js'
import type { ProcessContext } from './context.js'
import { programEnvironment } from './program-environment.js'

/** On Windows by its path: a name is looked for in the working directory first. */
function openerOf(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): string {
  if (platform === 'win32') return win32.join(env.SystemRoot ?? 'C:\\Windows', 'explorer.exe')
  return platform === 'darwin' ? 'open' : 'xdg-open'
}

/** Opens an address with the system's opener, which outlives this program; calls `onMissing` if there is none. */
export function openUrl({ env }: Pick<ProcessContext, 'env'>, address: URL, onMissing: (opener: string) => void): void {
  open(env, address.href, onMissing)
}

/**
 * Opens an address that holds a secret: the browser is given a file that only this user can read and that leads there,
 * because everybody on the machine can read the arguments of processes. The returned function removes the file. Calls
 * `onFailure` with the reason if there is no opener, or the directory cannot be written.
 */
export function openPrivateUrl(
  { env }: Pick<ProcessContext, 'env'>,
  address: URL,
  directory: string,
  onFailure: (reason: string) => void,
): () => void {
  const file = join(directory, `open-${randomUUID()}.html`)
  const target = escapeHtml(address.href)
  try {
    makeFolder(directory)
    makePrivateFile(file)
    writeFileSync(
      file,
      `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0;url=${target}"><a href="${target}">dlv</a>\n`,
    )
  } catch (error) {
    onFailure(error instanceof Error ? error.message : String(error))
    return () => {}
  }
  open(env, file, (opener) => onFailure(`${opener} not found`))
  return () => rmSync(file, { force: true })
}

function open(env: NodeJS.ProcessEnv, what: string, onMissing: (opener: string) => void): void {
  const opener = openerOf(process.platform, env)
  spawn(opener, [what], { stdio: 'ignore', detached: true, env: programEnvironment(env) })
    .on('error', () => onMissing(opener))
    .unref()
}
