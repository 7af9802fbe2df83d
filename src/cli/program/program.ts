import type { Command, Interfaces } from '@oclif/core'

/** The commands as described in the manifest, for help and completion; not needed to run a command. */
export interface Manifest {
  commands: Record<string, Command.Cached>
}

/** Reads `oclif.manifest.json`, which has the flags that belong to every command once. */
export function parseManifest(text: string): Manifest {
  const { commands, globalFlags } = parsed(text) as Manifest & { globalFlags: Command.Cached['flags'] }
  for (const command of Object.values(commands)) command.flags = { ...globalFlags, ...command.flags }
  return { commands }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    // Half of it, while another version is copied over this one.
    throw Object.assign(new Error('oclif.manifest.json is cut short', { cause }), { code: 'MODULE_NOT_FOUND' })
  }
}

/** The parts of the program, whether installed as a package or as a single file. */
export interface Program {
  packageJson: Interfaces.PJSON
  /** The module of each command by id, such as `deliveries:get`; loaded when it runs. */
  commands: Readonly<Record<string, () => Promise<{ default: Command.Class }>>>
  manifest(): Manifest
}

/** `dlv-cli/1.2.3 linux-x64 node-v24.0.0`: the output of `--version` and the `User-Agent` header. */
export function userAgentOf({ packageJson }: Program): string {
  return `${packageJson.name}/${packageJson.version} ${process.platform}-${process.arch} node-${process.version}`
}

export function topicsOf({ packageJson }: Program): Interfaces.Topic[] {
  return Object.entries(packageJson.oclif.topics ?? {}).map(([name, topic]) => ({ ...topic, name }))
}
