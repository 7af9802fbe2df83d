// Sorts the commands in oclif.manifest.json, one a line, so that a diff shows only what changed.
import { readFileSync, writeFileSync } from 'node:fs'

const file = 'oclif.manifest.json'
const { commands, ...rest } = JSON.parse(readFileSync(file, 'utf8'))
const lines = Object.entries(commands)
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map((entry) => entry.map((part) => JSON.stringify(part)).join(':'))
writeFileSync(file, `{"commands":{\n${lines.join(',\n')}\n},${JSON.stringify(rest).slice(1)}\n`)
