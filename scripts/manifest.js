/**
 * `npm run manifest` writes `oclif.manifest.json`, from which help and completion know the commands. They are sorted, one
 * a line, so that a diff shows only what changed. `--print` prints it instead.
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
const lines = Object.entries(commands)
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map((entry) => entry.map((part) => JSON.stringify(part, withoutDefaults)).join(':'))
const text = `{"commands":{\n${lines.join(',\n')}\n},${JSON.stringify(rest).slice(1)}\n`
if (process.argv.includes('--print')) process.stdout.write(text)
else writeFileSync('oclif.manifest.json', text)
