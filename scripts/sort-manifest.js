// Puts the commands of oclif.manifest.json in alphabetical order: a change of one then shows as a change of one.
import { readFileSync, writeFileSync } from 'node:fs'

const file = 'oclif.manifest.json'
const manifest = JSON.parse(readFileSync(file, 'utf8'))
manifest.commands = Object.fromEntries(Object.entries(manifest.commands).sort(([a], [b]) => (a < b ? -1 : 1)))
writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`)
