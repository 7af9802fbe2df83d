/**
 * Runs the program's chunks out of one executable: Node loads a single script from inside itself, and that script is
 * this loader. Each chunk is compiled when it is first required, out of compiled code where that lies beside it.
 */
'use strict'

const { posix } = require('node:path')
const { Script } = require('node:vm')

/**
 * @param files.source gives a chunk's text by its name, `chunks/client-abc.cjs`
 * @param files.compiled gives what V8 has kept of compiling it, or `undefined`
 * @param onScript told of each script that is compiled, by name
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
