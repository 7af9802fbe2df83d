import { existsSync } from 'node:fs'
import { relative } from 'node:path'
import { schemaFiles } from './library-build.js'

/** Files of `src/` by name. One that is not there ends the build: after a move, it would be in another chunk unseen. */
function files(names) {
  const known = new Set()
  for (const name of names.trim().split(/\s+/)) {
    const file = name === 'package.json' ? name : `src/${name}.ts`
    if (!existsSync(file)) throw new Error(`scripts/program-chunks.js names ${file}, which is not there.`)
    known.add(file)
  }
  return { test: (file) => known.has(file) }
}

/** What runs before any command, and all of `--version`. */
const start = files(`
  package.json
  cli/program/dispatch cli/program/main cli/program/program cli/program/start
  cli/process/colour cli/process/context cli/process/exit-codes cli/process/signals cli/process/streams cli/process/warnings
  shared/dlv-error shared/exit-codes shared/user-dirs
  contract/error-codes
`)

/** What draws text, with or without a command: root help does without oclif. */
const text = files('render/plain-text cli/process/terminal')

/** How commands take the names of deliveries. */
const names = files(`
  cli/lookup/delivery-name cli/lookup/errors
  cli/input/ids cli/input/known-word cli/input/read
`)

/** What commands ask of a service only at times, so it is loaded apart. */
const proofs = files('cli/session/own-sandbox cli/session/account-kind sandbox/owner-proof/index')

/** What every command can be asked, and few are: several accounts at once. */
const several = files(
  'cli/session/account-session cli/command/run-several cli/command/merged-lists cli/accounts/several',
)

/** How requests go through a proxy. */
const tunnel = files(`
  client/transport/tunnel-pool webhooks/through-proxy shared/proxy/tunnel shared/proxy/socks5 shared/proxy/proxy-error
`)

/** The part of oclif that runs a command; help and configuration are the other nine tenths. */
const parsing =
  /[\\/]@oclif[\\/]core[\\/](?:package\.json|lib[\\/](?:(?:args|cache|command|flags|index|logger)\.js|help[\\/]util\.js|errors[\\/]index\.js|parser[\\/](?:index|parse|validate)\.js|util[\\/](?:aggregate-flags|ids|util)\.js))$/

/** So many commands share what nearly all need, and what many do; there are about ninety. */
const nearlyAll = 60
const many = 4

/**
 * The chunks of the program. Each file that is loaded costs a tenth of a millisecond and more, whatever is in it, so
 * what most commands need is in one file, apart from the client, which only commands that use the service load.
 */
export function programChunks() {
  const needsZod = schemaFiles()
  const own = (pattern) => (id) => {
    const file = relative(process.cwd(), id).replaceAll('\\', '/')
    return pattern.test(file) && !needsZod(id)
  }
  return [
    {
      name: 'start',
      test: (id) => /(?:rolldown.runtime|commands\.generated)\.js$/.test(id) || own(start)(id),
      priority: 6,
    },
    { name: 'text', test: own(text), priority: 5 },
    { name: 'proofs', test: own(proofs), priority: 5 },
    { name: 'several', test: own(several), priority: 5 },
    { name: 'tunnel', test: own(tunnel), priority: 5 },
    { name: 'client', test: own(/^src\/(?:client|shared\/proxy)\//), priority: 4 },
    { name: 'oclif', test: (id) => parsing.test(id) || id === '\0silent-debug', priority: 4 },
    { name: 'oclif-help', test: /[\\/]node_modules[\\/]/, minShareCount: nearlyAll, priority: 3 },
    { name: 'command', test: own(/^src\//), minShareCount: nearlyAll, priority: 2 },
    { name: 'names', test: own(names), priority: 1 },
    { name: 'profiles', test: own(/^src\/(?:render\/profile-view\.ts|cli\/profiles\/)/), priority: 1 },
    {
      name: 'shared',
      test: own(
        /^src\/(?:contract\/(?!destinations)|render\/(?!event-|installation|progress|run|sandbox|sent-|service-|webhook-)|shared\/(?!csv-|sheet-|sqlite)|cli\/(?:command|session)\/)|^src\/trade\/(?:story|statuses)\.ts$/,
      ),
      minShareCount: many,
    },
  ]
}
