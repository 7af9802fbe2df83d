#!/usr/bin/env node
// Also read by Nodes that are too old: nothing here may be newer than they are.
import module from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const { env, platform, versions } = process
const [major, minor] = versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(`dlv needs Node 22.19 or newer; this is Node ${versions.node}.\n`)
  process.exit(2)
}
// Compiled code is executed as it is found: it must not lie where others can write, as Node's own default does.
const home = env.HOME || env.USERPROFILE
const caches = env.XDG_CACHE_HOME || (platform === 'win32' && env.LOCALAPPDATA) || (home && join(home, '.cache'))
if (env.NODE_COMPILE_CACHE === undefined && caches) module.enableCompileCache(join(caches, 'dlv', 'compiled'))
const folder = dirname(dirname(fileURLToPath(import.meta.url)))
// An import of Node's own `fs` would load all its parts, promises and watchers too.
const require = module.createRequire(import.meta.url)
const { start } = require('../dist/program/dlv.cjs')
start(process.argv.slice(2), () => require('node:fs').readFileSync(join(folder, 'oclif.manifest.json'), 'utf8'))
