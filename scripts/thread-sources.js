import { dirname, join } from 'node:path'
import { rolldown } from 'rolldown'

const name = 'thread-source.generated.js'
/** By the file that a thread begins with; several builds of one run need the same. */
const sources = new Map()

/** A bundler plugin: provides each `thread-source.generated.js` with the program of the `thread.ts` beside it, as a text. */
export function threadSources() {
  return {
    name: 'thread-sources',
    resolveId(source, importer) {
      if (!source.endsWith(name)) return null
      // The test runner asks again for what it has been given.
      return source.startsWith('\0') || importer === undefined ? source : `\0${join(dirname(importer), name)}`
    },
    async load(id) {
      if (!id.startsWith('\0') || !id.endsWith(name)) return null
      const entry = join(dirname(id.slice(1)), 'thread.ts')
      if (!sources.has(entry)) sources.set(entry, bundled(entry))
      return `export const threadSource = ${JSON.stringify(await sources.get(entry))}`
    },
  }
}

async function bundled(entry) {
  const bundle = await rolldown({ input: entry, platform: 'node', treeshake: { moduleSideEffects: false } })
  const { output } = await bundle.generate({ format: 'cjs', minify: true })
  await bundle.close()
  return output[0].code
}
