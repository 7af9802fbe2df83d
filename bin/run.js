#!/usr/bin/env node
import module from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(`dlv needs Node 22.19 or newer; this is Node ${process.versions.node}.\n`)
  process.exit(2)
}
module.enableCompileCache?.()
const { start } = module.createRequire(import.meta.url)('../dist/program/dlv.cjs')
await start(process.argv.slice(2), dirname(dirname(fileURLToPath(import.meta.url))))
