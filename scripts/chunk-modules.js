import { relative } from 'node:path'

/**
 * A bundler plugin: writes `chunk-modules.json`, which lists the modules in each chunk, for the test of what a command
 * loads. Packages are listed by name, our own modules by path. The file is not part of the npm package.
 */
export function chunkModules() {
  return {
    name: 'chunk-modules',
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter(({ type }) => type === 'chunk')
      const modules = chunks.map(({ fileName, moduleIds }) => [fileName, [...new Set(moduleIds.map(nameOf))].sort()])
      const source = JSON.stringify(Object.fromEntries(modules), null, 1)
      this.emitFile({ type: 'asset', fileName: 'chunk-modules.json', source })
    },
  }
}

function nameOf(id) {
  const path = id.replaceAll('\\', '/').replace(/^\0/, '')
  const inPackage = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)
  return inPackage?.[1] ?? (path.startsWith('/') || /^[a-z]:/i.test(path) ? relative(process.cwd(), path) : path)
}
