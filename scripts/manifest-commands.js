import { readFileSync } from 'node:fs'

/** The manifest, and what package.json says of topics. */
export const readManifest = () =>
  ['oclif.manifest.json', 'package.json'].map((file) => JSON.parse(readFileSync(file, 'utf8')))

/** The commands that help lists, by id. */
export function listedCommands({ commands }) {
  const aliases = new Set(Object.values(commands).flatMap((command) => command.aliases))
  return Object.entries(commands)
    .filter(([id, { hidden }]) => !hidden && !aliases.has(id))
    .sort(([one], [other]) => (one < other ? -1 : 1))
}

/** The flags or arguments that help shows. */
export const shown = (named) => Object.values(named ?? {}).filter(({ hidden }) => !hidden)

/** The parts of a command that help shows, without the flags of every command. */
export function partsOf({ args, flags, examples = [] }) {
  return {
    args: shown(args),
    flags: shown(flags),
    examples: examples.map((line) => line.replaceAll('<%= config.bin %>', 'dlv')),
  }
}
