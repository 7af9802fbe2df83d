import { relative } from 'node:path'

/**
 * A bundler plugin: writes which modules went into which chunk to `chunk-modules.json`, for the test that watches what
 * a command loads. Packages by their names, the project's own modules by their paths. Not part of the npm package.
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
