import { foldersOf } from '../../shared/user-dirs.js'
import type { CommandConfig } from '../command/base-command.js'
import type { ProcessContext } from '../process/context.js'
import { type Program, topicsOf, userAgentOf } from './program.js'

/**
 * The part of oclif's `Config` that a running command reads. The real one reads a manifest of hundreds of kilobytes and
 * looks for plugins and themes, twice per run; only help and completion need what it finds.
 */
export function commandConfig(program: Program, context: ProcessContext): CommandConfig {
  const { packageJson } = program
  const config = {
    ...foldersOf(context.env),
    context,
    bin: packageJson.oclif.bin ?? packageJson.name,
    name: packageJson.name,
    pjson: packageJson,
    userAgent: userAgentOf(program),
    version: packageJson.version,
    get commands() {
      return Object.values(program.manifest().commands)
    },
    get topics() {
      return topicsOf(program)
    },
    runHook: async () => ({ failures: [], successes: [] }),
    scopedEnvVar: () => undefined,
    scopedEnvVarKeys: () => [],
  }
  return config as unknown as CommandConfig
}
