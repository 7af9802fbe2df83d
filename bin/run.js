#!/usr/bin/env node
// CommonJS, by the package.json next to it: Node starts a module two milliseconds later.
// Also read by Nodes that are too old: nothing here may be newer than they are.
'use strict'

const { env, platform, versions } = process
const [major, minor] = versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(`dlv needs Node 22.19 or newer; this is Node ${versions.node}.\n`)
  process.exit(2)
}
const { join } = require('node:path')
// Compiled code is executed as it is found: it must not lie where others can write, as Node's own default does.
const home = env.HOME || env.USERPROFILE
const caches = env.XDG_CACHE_HOME || (platform === 'win32' && env.LOCALAPPDATA) || (home && join(home, '.cache'))
if (env.NODE_COMPILE_CACHE === undefined && caches) {
  require('node:module').enableCompileCache(join(caches, 'dlv', 'compiled'))
}
const { start } = require('../dist/program/dlv.cjs')
start(process.argv.slice(2), () =>
  require('node:fs').readFileSync(join(__dirname, '..', 'oclif.manifest.json'), 'utf8'),
)
