#!/usr/bin/env node
import module from 'node:module'

const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(`dlv needs Node 22.19 or newer; this is Node ${process.versions.node}.\n`)
  process.exit(2)
}
module.enableCompileCache?.()
const { main } = await import('../dist/main.js')
await main(process.argv.slice(2), import.meta.url)
