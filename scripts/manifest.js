/**
 * `npm run manifest` writes `oclif.manifest.json`, from which help and completion know the commands. They are sorted, one
 * a line, so that a diff shows only what changed, and the flags that belong to all of them are apart, once. `--print`
 * prints it instead.
 */
import { writeFileSync } from 'node:fs'
import { Plugin } from '@oclif/core'

/** oclif takes an absent property of a flag for false; only `strict` of a command is true by default. */
const withoutDefaults = (name, value) => (value === false && name !== 'strict' ? undefined : value)

const plugin = new Plugin({
  errorOnManifestCreate: true,
  ignoreManifest: true,
  respectNoCacheDefault: true,
  root: process.cwd(),
  type: 'core',
})
await plugin.load()
const { commands, ...rest } = plugin.manifest
const isGlobal = ([, { helpGroup }]) => helpGroup === 'global'
const globals = new Set()
const lines = Object.entries(commands)
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([id, command]) => {
    const flags = Object.entries(command.flags)
    globals.add(JSON.stringify(Object.fromEntries(flags.filter(isGlobal)), withoutDefaults))
    const own = { ...command, flags: Object.fromEntries(flags.filter((flag) => !isGlobal(flag))) }
    return `${JSON.stringify(id)}:${JSON.stringify(own, withoutDefaults)}`
  })
if (globals.size !== 1) throw new Error('The flags of the group "global" are not the same for every command.')
const [globalFlags] = globals
const text = `{"globalFlags":${globalFlags},\n"commands":{\n${lines.join(',\n')}\n},${JSON.stringify(rest).slice(1)}\n`
if (process.argv.includes('--print')) process.stdout.write(text)
else writeFileSync('oclif.manifest.json', text)
