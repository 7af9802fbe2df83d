/** Bundler plugins of the library: `dist/` for Node, `dist/fetch/` for workers, Deno and browsers. */
import { existsSync } from 'node:fs'
import { isAbsolute, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { minifySync } from 'rolldown/experimental'
import { sourceImports } from './source-imports.ts'

/** Takes `crypto.web.ts` for `crypto.ts`, and so on: the variants without Node's modules. */
export function webVariants() {
  return {
    name: 'web-variants',
    resolveId: {
      filter: { id: /^\.{1,2}\// },
      async handler(source, importer) {
        const resolved = await this.resolve(source, importer, { skipSelf: true })
        const variant = resolved?.id.replace(/\.ts$/, '.web.ts')
        return variant !== undefined && variant !== resolved.id && existsSync(variant) ? variant : resolved
      },
    },
  }
}

const errorFiles = ['src/contract/service-errors.ts', 'src/shared/dlv-error.ts'].map((file) =>
  join(process.cwd(), file),
)

/** Takes the error classes from `dist/errors.js`, so that both builds in one process throw the same ones. */
export function sharedErrors(path) {
  return {
    name: 'shared-errors',
    async generateBundle(_, bundle) {
      const own = Object.values(bundle).find((file) => file.type === 'chunk' && file.name === 'errors')
      const shared = await import(pathToFileURL(join(process.cwd(), 'dist', 'errors.js')).href)
      const missing = own.exports.filter((name) => !(name in shared))
      if (missing.length > 0) throw new Error(`src/contract/service-errors.ts does not export ${missing.join(', ')}`)
      own.code = `export { ${own.exports.join(', ')} } from '${path}'\n`
    },
  }
}

export const sandboxDataFile = 'src/sandbox/data/index.ts'

/** Takes the sandbox's ZIP codes and installations from the program, so that they are once in the package. */
export function sandboxData() {
  return {
    name: 'sandbox-data',
    resolveId: {
      filter: { id: /\/data\/index\.js$/ },
      // The bundler takes the directory of all inputs for that of the output.
      handler: () => ({ id: resolve('src/program/sandbox-data.cjs'), external: 'relative' }),
    },
  }
}

/** undici has its parser twice; every supported Node takes the faster one. */
export function oneParser() {
  return {
    name: 'one-parser',
    resolveId: {
      filter: { id: /llhttp-wasm\.js$/ },
      handler(source, importer) {
        return this.resolve(source.replace('llhttp-wasm', 'llhttp_simd-wasm'), importer, { skipSelf: true })
      },
    },
  }
}

/**
 * The chunks of the library: the entries only export from them, and who asks for no schema loads no zod. Node's own
 * build loads undici with the first request.
 */
export function libraryChunks() {
  const schemas = schemaFiles()
  const below = (folder) => (id) => id.includes(`/src/${folder}/`) && !/\/src\/\w+\/index(?:\.web)?\.ts$/.test(id)
  const needsNode = new Set(
    sourceImports()
      .filter(({ target }) => target.startsWith('node:'))
      .map(({ file }) => file),
  )
  const portable = (id) => {
    const file = relative(process.cwd(), id).replaceAll('\\', '/')
    if (file.startsWith('src/shared/proxy/')) return false
    return file.startsWith('src/shared/') && (!needsNode.has(file) || /\/(?:crypto|timers)\.ts$/.test(file))
  }
  return [
    { name: 'errors', test: (id) => errorFiles.includes(id), priority: 4 },
    { name: 'zod', test: inZod, priority: 4 },
    { name: 'schemas', test: schemas, priority: 3 },
    { name: 'proxy', test: below('shared/proxy'), priority: 3 },
    { name: 'contract', test: (id) => below('contract')(id) || portable(id), priority: 2 },
    { name: 'client', test: (id) => below('client')(id) || id.endsWith('/package.json'), priority: 1 },
    // Loaded only where a variable names a proxy.
    { name: 'webhooks', test: (id) => below('webhooks')(id) && !id.endsWith('through-proxy.ts'), priority: 1 },
  ]
}

/**
 * The chunks for platforms that bundle what they run: one for each file, so that a bundler leaves out what nobody uses
 * without having to prove that it does nothing.
 */
export function fileChunks() {
  const entry = /\/src\/\w+\/index(?:\.web)?\.ts$/
  const slug = (id) =>
    relative(process.cwd(), id)
      .replace(/^src[\\/]|(?:\.web)?\.\w+$/g, '')
      .replaceAll(/[\\/]/g, '-')
  const isOwn = (id) => /^(?:src[\\/]|package\.json$)/.test(relative(process.cwd(), id))
  return [
    { name: 'errors', test: (id) => errorFiles.includes(id), priority: 4 },
    { name: 'zod', test: inZod, priority: 4 },
    { name: 'schemas', test: schemaFiles(), priority: 3 },
    { name: slug, test: (id) => isOwn(id) && !entry.test(id), priority: 2 },
  ]
}

const inZod = (id) => /[\\/]node_modules[\\/]zod[\\/]/.test(id)

/** Tells the files of the contract that need zod. */
export function schemaFiles() {
  const needs = new Map()
  for (const { file, target, isTypeOnly } of sourceImports())
    if (file.startsWith('src/contract/') && !isTypeOnly) needs.set(file, [...(needs.get(file) ?? []), target])
  const found = new Set(['zod'])
  for (let before = 0; before !== found.size; ) {
    before = found.size
    for (const [file, targets] of needs) if (targets.some((target) => found.has(target))) found.add(file)
  }
  found.delete('src/contract/index.ts')
  return (id) => id.includes('/node_modules/zod/') || found.has(relative(process.cwd(), id).replaceAll('\\', '/'))
}

const spare = join(process.cwd(), 'scripts', 'real-timers.js')

/**
 * Tests with fake timers replace the globals. Their own code stands still then, but not requests that are under way or a
 * sandbox in the process: in the library, these names are what Node's modules keep.
 */
export const realTimers = {
  ...Object.fromEntries(
    ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'clearImmediate'].map((name) => [
      name,
      ['node:timers', name],
    ]),
  ),
  performance: ['node:perf_hooks', 'performance'],
  queueMicrotask: [spare, 'queueMicrotask'],
  'process.nextTick': [spare, 'nextTick'],
}

/** Minifies the chunks that hold nothing but packages: a stack trace is read for our own files. */
export function minifiedPackages() {
  const isOwn = (id) => isAbsolute(id) && !/[\\/]node_modules[\\/]/.test(id)
  return {
    name: 'minified-packages',
    // Any earlier, the code would be printed again, with its blanks.
    generateBundle(_, bundle) {
      for (const chunk of Object.values(bundle))
        if (chunk.type === 'chunk' && chunk.moduleIds.length > 0 && !chunk.moduleIds.some(isOwn))
          chunk.code = minifySync(chunk.fileName, chunk.code, { module: true }).code
    },
  }
}
