import { execFile } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, it } from 'vitest'
import { compiledCode } from '../support/compile-cache.js'
import { createTempDir } from '../support/temp-dir.js'

interface Snippet {
  title: string
  code: string
  /** What it prints, if the page shows it. */
  output: string | undefined
}

/** The TypeScript of a page, each block by its heading, with the output that follows it. */
function snippetsOf(text: string): Snippet[] {
  return text.split(/^##? /m).flatMap((section) =>
    [...section.matchAll(/^```ts\n([\s\S]*?)^```(?:\n\n```text\n([\s\S]*?)^```)?/gm)].map(([, code = '', output]) => ({
      title: section.split('\n', 1)[0] ?? '',
      code,
      output,
    })),
  )
}

// Inside the project, where the package finds itself under its own name.
const folder = mkdtempSync(join('test', '.guides-'))
afterAll(() => rmSync(folder, { recursive: true }))
const end = '--- the end of a snippet ---'

/** What each of the snippets prints, run one after the other in one process; fails with one that does. */
async function printedBy(snippets: readonly string[]): Promise<string[]> {
  const cwd = mkdtempSync(join(folder, 'page-'))
  for (const [at, code] of snippets.entries()) writeFileSync(join(cwd, `${at}.ts`), code)
  const main = snippets.map((_, at) => `await import('./${at}.ts')\nconsole.log('${end}')\n`).join('')
  writeFileSync(join(cwd, 'main.ts'), main)
  const { stdout } = await promisify(execFile)(process.execPath, [join(cwd, 'main.ts')], {
    env: { HOME: createTempDir(), NO_COLOR: '1', NODE_COMPILE_CACHE: compiledCode },
  })
  return stdout.split(`${end}\n`).slice(0, -1)
}

/** Its code is in other languages; test/languages runs it. */
const inOtherLanguages = join('docs', 'guides', 'languages.md')
const guides = [
  ...globSync('docs/guides/*.md')
    .filter((path) => path !== inOtherLanguages)
    .sort(),
  'docs/sandbox.md',
  'README.md',
]

const pages = guides.map((path) => {
  const text = readFileSync(path, 'utf8')
  return { path, text, snippets: snippetsOf(text) }
})

it.each(pages)('$path has no block of code that is not run', ({ text, snippets }) => {
  expect(snippets).toHaveLength([...text.matchAll(/^```ts/gm)].length)
  expect(snippets.length).toBeGreaterThan(0)
})

// The runner of Node prints when it likes to.
it.each([
  ['in tests', true],
  ['elsewhere', false],
])('The code of all pages %s runs, and prints what its page shows', async (_, isTest) => {
  const all = pages.flatMap(({ path, snippets }) => snippets.map((snippet) => ({ path, ...snippet })))
  const chosen = all.filter(({ code }) => code.includes("'node:test'") === isTest)
  const printed = await printedBy(chosen.map(({ code }) => code))
  expect(printed).toHaveLength(chosen.length)
  for (const [at, { path, title, output }] of chosen.entries())
    if (output !== undefined) expect(printed[at], `${path}: ${title}`).toBe(output)
})
