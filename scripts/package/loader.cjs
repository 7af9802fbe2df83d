/**
 * Runs the program's chunks from inside one executable, where Node can load only a single script: this loader. A chunk
 * is compiled when it is first required, from its compiled code if there is any.
 */
'use strict'

const { posix } = require('node:path')
const { Script } = require('node:vm')

/**
 * @param files.source returns a chunk's text by its name, such as `chunks/client-abc.cjs`
 * @param files.compiled returns the chunk's compiled code, or `undefined`
 * @param onScript called with each script that is compiled and its name
 */
function createLoader({ source, compiled }, onScript = () => {}) {
  const loaded = new Map()
  function load(name) {
    const known = loaded.get(name)
    if (known !== undefined) return known.exports
    const module = { exports: {} }
    loaded.set(name, module)
    const text = `(function (exports, require, module, __filename, __dirname) {${source(name)}\n})`
    const cachedData = compiled(name)
    const script = new Script(text, { filename: `dlv:${name}`, ...(cachedData === undefined ? {} : { cachedData }) })
    onScript(name, script)
    const requireHere = (wanted) =>
      wanted.startsWith('.') ? load(posix.join(posix.dirname(name), wanted)) : require(wanted)
    script.runInThisContext()(module.exports, requireHere, module, name, posix.dirname(name))
    return module.exports
  }
  return load
}

module.exports = { createLoader }
