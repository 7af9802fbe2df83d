import { Config, type Interfaces } from '@oclif/core'
import { type Program, topicsOf } from './program.js'

/** oclif's own view of the program, for help: one plugin, whose commands the manifest describes. */
export function oclifConfig(program: Program): Promise<Config> {
  const { packageJson } = program
  const plugin = {
    alias: packageJson.name,
    commands: Object.values(program.manifest().commands).map((cached) => ({ ...cached, pluginType: 'core' })),
    hooks: {},
    isRoot: true,
    name: packageJson.name,
    pjson: packageJson,
    root: process.execPath,
    topics: topicsOf(program),
    type: 'core',
    valid: true,
    version: packageJson.version,
  }
  return Config.load({ root: process.execPath, plugins: [plugin as unknown as Interfaces.Plugin] as never })
}
