/** Bundler plugins that load what a module imports on first use instead of at its start. */
import { standIn } from './stand-in.js'

/**
 * oclif loads everything with its first import: help, plugins, colours, spinners, templates. Its compiled modules are
 * regular (`const name_1 = require("./x")`, used as `name_1.y`), so a command can be made to load only the parser.
 */
export function lazyOclif() {
  return transforming('lazy-oclif', /[\\/]@oclif[\\/]core[\\/]lib[\\/].*\.js$/, (code, id) => {
    const isIndex = /[\\/]lib[\\/]index\.js$/.test(id)
    const quiet = isIndex ? code.replace(/^check(?:CWD|NodeVersion)\(\);$/gm, '') : code
    const namespaces = quiet.replace(
      /^exports\.(\w+) = (__importStar\(require\("[^"]+"\)\));$/gm,
      'Object.defineProperty(exports, "$1", { enumerable: true, get: () => $2 });',
    )
    return deferred(namespaces, /^(?:const|var) (\w+_\d+) = ((?:__import(?:Default|Star)\()?require\("[^"]+"\)\)?);$/gm)
  })
}

/**
 * Nine tenths of oclif are for help and configuration. What runs a command refers to them by name only: their chunk,
 * which `program-chunks.js` makes, is loaded on first use.
 */
export function lazyOclifHelp() {
  return {
    name: 'lazy-oclif-help',
    renderChunk: (code, { name }) =>
      name === 'oclif'
        ? {
            code: deferred(code, /^(?:const|let|var) (require_oclif_help) = (require\(['"][^'"]+['"]\));$/gm),
            map: null,
          }
        : null,
  }
}

/** With DEBUG, oclif would print every argument, keys among them; the package for it also looks at the terminal. */
export const silentOclif = () =>
  standIn(
    'silent-debug',
    /^debug$/,
    'const silent = () => {}\nmodule.exports = () => silent',
    /[\\/]@oclif[\\/]core[\\/]/,
  )

/** Node's modules in our CommonJS chunks: `let node_crypto = require("node:crypto");`. */
export function lazyBuiltIns() {
  return {
    name: 'lazy-built-ins',
    renderChunk: (code) => ({ code: deferred(code, /^let (node_\w+) = (require\("node:[^"]+"\));$/gm), map: null }),
  }
}

function transforming(name, id, change) {
  return {
    name,
    transform: { filter: { id }, handler: (code, file) => ({ code: change(code, file), map: null }) },
  }
}

/** Turns each constant that `declaration` matches into a function that loads once, and each use of it into a call. */
function deferred(code, declaration) {
  const names = []
  const declared = code.replace(declaration, (whole, name, load) => {
    if (new RegExp(`^${name} = `, 'm').test(code)) return whole
    names.push(name)
    return `let loaded_${name}; const load_${name} = () => (loaded_${name} ??= ${load});`
  })
  return names.reduce(
    (text, name) => text.replace(new RegExp(`(?<![\\w$.])${name}(?!\\w)`, 'g'), `(load_${name}())`),
    declared,
  )
}
