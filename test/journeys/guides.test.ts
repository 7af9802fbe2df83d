import { execFile } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
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
/** What each of the snippets prints, run one after the other in one process; fails with one that does. */
async function printedBy(snippets: readonly string[]): Promise<string[]> {
  const cwd = mkdtempSync(join(folder, 'page-'))
  for (const [at, code] of snippets.entries()) writeFileSync(join(cwd, `${at}.ts`), code)
  const end = '--- the end of a snippet ---'
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

describe.each(guides)('%s', (path) => {
  const page = readFileSync(path, 'utf8')
  const snippets = snippetsOf(page)

  it('has no block of code that is not run', () => {
    expect(snippets).toHaveLength([...page.matchAll(/^```ts/gm)].length)
    expect(snippets.length).toBeGreaterThan(0)
  })

  it('has only code that runs, and prints what the page shows', async () => {
    // The runner of Node prints when it likes to.
    for (const together of Object.values(
      Object.groupBy(snippets, ({ code }) => String(code.includes("'node:test'"))),
    )) {
      const printed = await printedBy((together ?? []).map(({ code }) => code))
      for (const [at, { title, output }] of (together ?? []).entries())
        if (output !== undefined) expect(printed[at], title).toBe(output)
    }
  })
})
