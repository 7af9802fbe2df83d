import { rolldown } from 'rolldown'

const name = 'thread-source.generated.js'
const entry = 'src/listener/journal/sqlite/thread/thread.ts'

/** A bundler plugin: provides the module with the program of the thread that writes a journal, as a text. */
export function journalThread() {
  return {
    name: 'journal-thread',
    resolveId: (source) => (source.endsWith(name) ? `\0${name}` : null),
    async load(id) {
      if (id !== `\0${name}`) return null
      const bundle = await rolldown({ input: entry, platform: 'node', treeshake: { moduleSideEffects: false } })
      const { output } = await bundle.generate({ format: 'cjs', minify: true })
      await bundle.close()
      return `export const threadSource = ${JSON.stringify(output[0].code)}`
    },
  }
}
