import { Config } from '@oclif/core'
import { foldersOf } from '../../shared/user-dirs.js'
import { type Program, topicsOf, userAgentOf } from './program.js'

/**
 * oclif's view of the program, for help: one plugin with the commands of the manifest. Filled in here, because oclif's
 * own loading looks for themes, shells and the user's entry in the system, and fails if there is none.
 */
export function oclifConfig(program: Program, env: NodeJS.ProcessEnv): Config {
  const { packageJson } = program
  const { name, version, oclif } = packageJson
  const plugin = {
    alias: name,
    commands: Object.values(program.manifest().commands).map((cached) => ({ ...cached, pluginType: 'core' })),
    hooks: {},
    isRoot: true,
    name,
    pjson: packageJson,
    root: process.execPath,
    topics: topicsOf(program),
    type: 'core',
    valid: true,
    version,
  }
  const config = new Config({ root: process.execPath })
  Object.assign(config, foldersOf(env), {
    bin: oclif.bin ?? name,
    name,
    pjson: packageJson,
    plugins: new Map([[name, plugin]]),
    rootPlugin: plugin,
    topicSeparator: oclif.topicSeparator ?? ':',
    userAgent: userAgentOf(program),
    valid: true,
    version,
  })
  const unfilled = config as unknown as Record<'loadCommands' | 'loadTopics', (from: typeof plugin) => void>
  unfilled.loadCommands(plugin)
  unfilled.loadTopics(plugin)
  return config
}
