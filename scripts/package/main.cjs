/**
 * The script of a standalone program. Node loads only this one from inside an executable: it compiles a chunk when it is
 * first required, from its compiled code if there is any.
 */
'use strict'

const { posix } = require('node:path')
const { getAsset, getAssetKeys, getRawAsset } = require('node:sea')
const { Script } = require('node:vm')

const names = new Set(getAssetKeys())
const loaded = new Map()

function load(name) {
  const known = loaded.get(name)
  if (known !== undefined) return known.exports
  const module = { exports: {} }
  loaded.set(name, module)
  const compiled = `${name}.compiled`
  const cachedData = names.has(compiled) ? new Uint8Array(getRawAsset(compiled)) : undefined
  const script = new Script(getAsset(name, 'utf8'), { filename: `dlv:${name}`, cachedData })
  const requireHere = (wanted) =>
    wanted.startsWith('.') ? load(posix.join(posix.dirname(name), wanted)) : require(wanted)
  script.runInThisContext()(module.exports, requireHere, module, name, posix.dirname(name))
  return module.exports
}

// The program starts itself again to run a query, see src/cli/query/run-query.ts.
if (process.argv[2] === '__query' && process.send !== undefined) load('query-child.cjs')
else load('dlv.cjs').start(process.argv.slice(2), () => getAsset('oclif.manifest.json', 'utf8'))
