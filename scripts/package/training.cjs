/**
 * Runs one command line from a directory of chunks, as the executable would, and writes the code that V8 compiled next to
 * each chunk. Repeated runs add to it.
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
