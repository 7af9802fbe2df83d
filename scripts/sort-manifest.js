// Sorts the commands in oclif.manifest.json, so that a diff shows only what changed.
import { readFileSync, writeFileSync } from 'node:fs'

const file = 'oclif.manifest.json'
const manifest = JSON.parse(readFileSync(file, 'utf8'))
manifest.commands = Object.fromEntries(Object.entries(manifest.commands).sort(([a], [b]) => (a < b ? -1 : 1)))
writeFileSync(file, `${JSON.stringify(manifest, null, 1)}\n`)
