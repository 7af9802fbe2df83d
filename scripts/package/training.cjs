/**
 * Runs one command line out of a folder of chunks, as the executable would, and keeps what V8 has compiled on the way
 * beside them: functions that a command uses are then compiled nowhere else. Repeated runs add up.
 *
 * node training.cjs FOLDER MANIFEST WORDS…
 */
'use strict'

const { existsSync, readFileSync, writeFileSync } = require('node:fs')
const { join } = require('node:path')
const { createLoader } = require('./loader.cjs')

const [folder, manifest, ...words] = process.argv.slice(2)
const scripts = new Map()
const compiledFile = (name) => join(folder, `${name}.compiled`)
const load = createLoader(
  {
    source: (name) => readFileSync(join(folder, name), 'utf8'),
    compiled: (name) => (existsSync(compiledFile(name)) ? readFileSync(compiledFile(name)) : undefined),
  },
  (name, script) => scripts.set(name, script),
)
process.on('exit', () => {
  for (const [name, script] of scripts) writeFileSync(compiledFile(name), script.createCachedData())
})
load('dlv.cjs').start(words, () => readFileSync(manifest, 'utf8'))
