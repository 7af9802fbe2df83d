import type { Command, Interfaces } from '@oclif/core'

/** The commands as the manifest describes them: for help and completion, never needed to run one. */
export interface Manifest {
  commands: Record<string, Command.Cached>
}

/** What the program brings along, installed as a package or as one file. */
export interface Program {
  packageJson: Interfaces.PJSON
  /** The module of each command by its id, `deliveries:get`; loaded when it is run. */
  commands: Readonly<Record<string, () => Promise<{ default: Command.Class }>>>
  manifest(): Manifest
}

/** `dlv-cli/1.2.3 linux-x64 node-v24.0.0`: what `--version` prints and the service is told. */
export function userAgentOf({ packageJson }: Program): string {
  return `${packageJson.name}/${packageJson.version} ${process.platform}-${process.arch} node-${process.version}`
}

export function topicsOf({ packageJson }: Program): Interfaces.Topic[] {
  return Object.entries(packageJson.oclif.topics ?? {}).map(([name, topic]) => ({ ...topic, name }))
}
