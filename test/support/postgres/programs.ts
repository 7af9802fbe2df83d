import { existsSync, globSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'

let known: { bin: string | undefined } | undefined

/**
 * The folder of `initdb` and `postgres`: on the PATH or where Debian has them. `undefined` if there is none, which
 * fails if `DLV_REQUIRE_POSTGRES` is 1.
 */
export function postgresBin(env: NodeJS.ProcessEnv = process.env): string | undefined {
  known ??= { bin: look(env) }
  if (known.bin === undefined && env.DLV_REQUIRE_POSTGRES === '1')
    throw new Error(
      'DLV_REQUIRE_POSTGRES is set and no PostgreSQL was found. Install one; on Debian: apt-get install postgresql.',
    )
  return known.bin
}

function look(env: NodeJS.ProcessEnv): string | undefined {
  const isComplete = (folder: string) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres'))
  const onPath = (env.PATH ?? '').split(':').filter((folder) => folder !== '')
  const versionOf = (folder: string) => Number(/\/postgresql\/(\d+)\//.exec(folder)?.[1])
  const ofDebian = globSync('/usr/lib/postgresql/*/bin').toSorted((a, b) => versionOf(b) - versionOf(a))
  const found = [...onPath, ...ofDebian].find(isComplete)
  // A link on the PATH stands alone; the other programs are beside what it points to.
  return found === undefined ? undefined : dirname(realpathSync(join(found, 'postgres')))
}
