import { rmSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

/** What a module with this source exports; it can import the project's own files, relative to the project. */
export async function bundled(name, source) {
  const file = `dist/${name}.tmp.js`
  const build = await rolldown({
    input: 'entry',
    platform: 'node',
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === 'entry' ? `${process.cwd()}/entry.js` : null),
        load: (id) => (id.endsWith('/entry.js') ? source : null),
      },
    ],
  })
  const { output } = await build.generate({ format: 'esm' })
  await build.close()
  writeFileSync(file, output[0].code)
  try {
    return await import(`${pathToFileURL(file).href}?${Date.now()}`)
  } finally {
    rmSync(file)
  }
}
