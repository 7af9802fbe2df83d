/**
 * oclif loads everything it has with its first import: help, plugins, colours, spinners, templates. Its compiled
 * modules are regular (`const name_1 = require("./x")`, used as `name_1.y`), so each such import is turned into one
 * that happens where it is used, and a command loads the parser alone.
 */
export function lazyOclif() {
  return {
    name: 'lazy-oclif',
    transform: {
      filter: { id: /[\\/]@oclif[\\/]core[\\/]lib[\\/].*\.js$/ },
      handler: (code, id) => {
        const withoutChecks = /[\\/]lib[\\/]index\.js$/.test(id)
          ? code.replace(/^check(?:CWD|NodeVersion)\(\);$/gm, '')
          : code
        return { code: deferRequires(withoutChecks), map: null }
      },
    },
  }
}

function deferRequires(code) {
  const names = []
  const declared = code
    .replace(
      /^(?:const|var) (\w+_\d+) = ((?:__import(?:Default|Star)\()?require\("[^"]+"\)\)?);$/gm,
      (_, name, load) => {
        names.push(name)
        return `const load_${name} = () => ${load};`
      },
    )
    .replace(
      /^exports\.(\w+) = (__importStar\(require\("[^"]+"\)\));$/gm,
      'Object.defineProperty(exports, "$1", { enumerable: true, get: () => $2 });',
    )
  return names.reduce(
    (text, name) => text.replace(new RegExp(`(?<![\\w$.])${name}(?!\\w)`, 'g'), `(load_${name}())`),
    declared,
  )
}
