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
let written = 0

async function run(code: string): Promise<string> {
  const file = join(folder, `snippet-${written++}.ts`)
  writeFileSync(file, code)
  const { stdout } = await promisify(execFile)(process.execPath, [file], {
    env: { HOME: createTempDir(), NO_COLOR: '1', NODE_COMPILE_CACHE: compiledCode },
  })
  return stdout
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

  it.concurrent.each(snippets)('$title', async ({ code, output }) => {
    const stdout = await run(code)
    if (output !== undefined) expect(stdout).toBe(output)
  })
})

it('A guide would not pass with a snippet that fails', async () => {
  await expect(run("import 'dlv-cli/nothing'\n")).rejects.toMatchObject({ code: 1 })
})
