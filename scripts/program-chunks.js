import { relative } from 'node:path'
import { schemaFiles } from './library-build.js'

/** What runs before any command, and all of `--version`. */
const start =
  /^(?:package\.json|src\/cli\/program\/(?:dispatch|main|program|start)\.ts|src\/cli\/process\/(?:colour|context|exit-codes|signals|streams|warnings)\.ts|src\/shared\/(?:dlv-error|exit-codes|user-dirs)\.ts|src\/contract\/error-codes\.ts)$/

/** What draws text, with or without a command: root help does without oclif. */
const text = /^src\/(?:render\/plain-text|cli\/process\/(?:terminal|suggestions))\.ts$/

/** How commands take the names of deliveries. */
const names =
  /^src\/cli\/(?:naming\/(?:delivery-name|failure|resolve)|input\/(?:ids|known-word|read)|process\/file-reasons)\.ts$/

/** What commands ask of a service only at times, so it is loaded apart. */
const proofs = /^src\/(?:cli\/session\/(?:own-sandbox|account-kind)|sandbox\/proof\/index)\.ts$/

/** What every command can be asked, and few are: several accounts at once. */
const several = /^src\/cli\/(?:session\/account-session|command\/(?:run-several|merged-lists)|accounts\/several)\.ts$/

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
    {
      name: 'tunnel',
      test: own(
        /^src\/(?:client\/transport\/tunnel-pool|webhooks\/through-proxy|shared\/proxy\/(?:tunnel|socks5|proxy-error))\.ts$/,
      ),
      priority: 5,
    },
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
