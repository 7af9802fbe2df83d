import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, cpSync, readdirSync, renameSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createTempDir } from '../support/temp-dir.js'

/** Starts the program under a umask that takes nothing away, and returns what Node says of the cache. */
function startWith(cacheHome: string): string {
  const script = `umask 0; exec "$0" bin/run.js --version 2>&1`
  const env = { PATH: process.env.PATH, XDG_CACHE_HOME: cacheHome, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' }
  return execFileSync('sh', ['-c', script, process.execPath], { env, encoding: 'utf8' })
}

const modeOf = (path: string) => statSync(path).mode & 0o777

it.skipIf(process.platform === 'win32')(
  'compiled code lies where nobody else can write under any umask, and is not loaded from elsewhere',
  () => {
    const home = join(createTempDir(), 'cache')
    startWith(home)
    const compiled = join(home, 'dlv', 'compiled')
    const [version = ''] = readdirSync(compiled)
    const inner = join(compiled, version)
    const directories = [join(home, 'dlv'), compiled, inner]
    expect(directories.map(modeOf)).toEqual([0o700, 0o700, 0o700])
    expect(startWith(home)).toContain('was accepted')

    for (const directory of directories) {
      chmodSync(directory, 0o777)
      expect(startWith(home)).not.toContain('reading cache')
      chmodSync(directory, 0o700)
    }
    const elsewhere = join(home, 'elsewhere')
    renameSync(inner, elsewhere)
    symlinkSync(elsewhere, inner)
    expect(startWith(home)).not.toContain('reading cache')
    if (process.getuid?.() !== 0) return
    const foreign = join(home, 'foreign')
    cpSync(elsewhere, join(foreign, 'dlv', 'compiled', version), { recursive: true })
    for (const directory of ['dlv', join('dlv', 'compiled'), join('dlv', 'compiled', version)])
      chmodSync(join(foreign, directory), 0o700)
    expect(startWith(foreign)).toContain('was accepted')
    chownSync(join(foreign, 'dlv', 'compiled', version), 12_345, 12_345)
    expect(startWith(foreign)).not.toContain('reading cache')
  },
)
