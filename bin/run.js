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
// Under Node's permission model the program's own files would be the first that cannot be read.
if (process.permission !== undefined && !process.permission.has('fs.read', __dirname)) {
  process.stderr.write(`error: Node's permission model keeps dlv from its own files.
hint: Start it with node --permission --allow-fs-read=* --allow-fs-write=* --allow-worker; docs/containers.md says what needs which.
`)
  process.exit(2)
}
const { lstatSync, mkdirSync, readdirSync, readFileSync, statSync } = require('node:fs')
const { join } = require('node:path')

function isPrivate(directory) {
  const stats = lstatSync(directory)
  return (
    process.getuid === undefined ||
    (stats.isDirectory() && stats.uid === process.getuid() && (stats.mode & 0o077) === 0)
  )
}

/** Compiled code is executed as it is found: it is used only if nobody else could have written it, whatever the umask. */
function useCompiledCode(cache) {
  const before = process.umask(0o077)
  try {
    const directory = join(cache, 'compiled')
    mkdirSync(directory, { recursive: true })
    const found = readdirSync(directory).map((name) => join(directory, name))
    if ([cache, directory, ...found].every(isPrivate)) require('node:module').enableCompileCache(directory)
  } catch {
    // Without it the program only starts later.
  } finally {
    process.umask(before)
  }
}

const home = env.HOME || env.USERPROFILE
const caches = env.XDG_CACHE_HOME || (platform === 'win32' && env.LOCALAPPDATA) || (home && join(home, '.cache'))
if (env.NODE_COMPILE_CACHE === undefined && caches) useCompiledCode(join(caches, 'dlv'))

/** Whether a file of the program has another size than it was built with: one that is empty fails only where it is used. */
function isCutOff() {
  const program = join(__dirname, '..', 'dist', 'program')
  const sizes = JSON.parse(readFileSync(join(program, 'files.json'), 'utf8'))
  return Object.entries(sizes).some(([name, size]) => statSync(join(program, name)).size !== size)
}

/** Not even the report of an error may be there while another version is copied over this one. */
function endIncomplete(error) {
  const isOfMissing =
    error && (error.code === 'MODULE_NOT_FOUND' || error.code === 'ENOENT' || error instanceof SyntaxError)
  if (!isOfMissing && !(error instanceof TypeError && isCutOff())) throw error
  process.stderr.write(`error: A file of dlv is missing or incomplete: ${error.message.split('\n')[0]}.
hint: If another version is being installed, run the same command again when that is done; otherwise install dlv again.
`)
  process.exit(2)
}

try {
  const { start } = require('../dist/program/dlv.cjs')
  const manifest = () => readFileSync(join(__dirname, '..', 'oclif.manifest.json'), 'utf8')
  Promise.resolve(start(process.argv.slice(2), manifest)).catch(endIncomplete)
} catch (error) {
  endIncomplete(error)
}
