import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { transformSync } from 'esbuild'

const styles = 'src/ui/page/styles'
const files = 'src/ui/page/files'
const out = join('dist', 'ui')
const name = 'page-files.generated.js'

/** A bundler plugin: writes the page's styles as one small file, and its other files as they are, beside its script. */
export function pageFiles() {
  return {
    name: 'page-files',
    generateBundle() {
      const css = globSync(`${styles}/*.css`)
        .sort()
        .map((file) => readFileSync(file, 'utf8'))
        .join('\n')
      const { code } = transformSync(css, { loader: 'css', minify: true })
      this.emitFile({ type: 'asset', fileName: 'inspector.css', source: code })
      for (const file of existsSync(files) ? readdirSync(files) : [])
        this.emitFile({ type: 'asset', fileName: file, source: readFileSync(join(files, file)) })
    },
  }
}

/** A bundler plugin: provides the module with the page's files, which were built before, compressed and as base64. */
export function builtPage() {
  return {
    name: 'built-page',
    resolveId: (source) => (source.endsWith(name) ? `\0${name}` : null),
    load(id) {
      if (id !== `\0${name}`) return null
      const packed = (file) => brotliCompressSync(readFileSync(join(out, file))).toString('base64')
      const files = Object.fromEntries(readdirSync(out).map((file) => [file, packed(file)]))
      return `export const pageFiles = ${JSON.stringify(files)}`
    },
  }
}
