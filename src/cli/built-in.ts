import { type Command, Config, type Interfaces } from '@oclif/core'

/** The program as a bundle brings it along, where there is no folder to find commands in. */
export interface BuiltIn {
  packageJson: Interfaces.PJSON
  manifest: { commands: Record<string, Command.Cached> }
  /** The module of each command, loaded when it is run. */
  commands: Readonly<Record<string, () => Promise<{ default: Command.Class }>>>
}

/** oclif's view of the program without reading a file: one plugin, whose commands load themselves. */
export function loadBuiltIn({ packageJson, manifest, commands }: BuiltIn): Promise<Config> {
  const { name, version, oclif } = packageJson
  const topics = Object.entries(oclif.topics ?? {}).map(([topic, description]) => ({ ...description, name: topic }))
  const plugin = {
    alias: name,
    commands: Object.entries(manifest.commands).map(([id, cached]) => ({
      ...cached,
      pluginType: 'core',
      load: async () => {
        const loaded = await commands[id]?.()
        if (loaded === undefined) throw new Error(`The program lacks the command ${id}`)
        loaded.default.id = id
        return loaded.default
      },
    })),
    hooks: {},
    isRoot: true,
    name,
    pjson: packageJson,
    root: process.execPath,
    topics,
    type: 'core',
    valid: true,
    version,
  }
  return Config.load({ root: process.execPath, plugins: [plugin as unknown as Interfaces.Plugin] as never })
}
