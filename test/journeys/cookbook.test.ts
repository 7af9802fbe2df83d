import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCli } from '../support/cli/program.js'
import { createTempDir } from '../support/temp-dir.js'

const page = readFileSync('docs/cookbook.md', 'utf8')
const recipes = recipesOf(page)
const steps = recipesOf(
  ['docs/sandbox.md', 'docs/reference/sandbox.md'].map((page) => readFileSync(page, 'utf8')).join('\n'),
)

/** The shell blocks of a page, each by the heading that it stands under. */
function recipesOf(text: string): { title: string; script: string }[] {
  return text.split(/^## /m).flatMap((section) =>
    [...section.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, script = '']) => ({
      title: section.split('\n', 1)[0] ?? '',
      script,
    })),
  )
}

const cli = createCli(afterAll)
const run = (script: string) => cli.script(`set -euo pipefail\n${script}`)

/** Stores are closed at night: the sandbox's clock moves to the next noon in North Carolina. */
beforeAll(async () => {
  const noon = new Date()
  noon.setUTCHours(17, 0, 0, 0)
  if (noon.getTime() < Date.now()) noon.setUTCDate(noon.getUTCDate() + 1)
  await cli.run(['sandbox', 'clock', 'set', noon.toISOString()])
})

describe('the cookbook', () => {
  it.each(recipes)('$title', async ({ script }) => {
    expect(await run(script)).toMatchObject({ exitCode: 0 })
  })

  it('has a recipe under every heading', () => {
    expect(recipes).toHaveLength([...page.matchAll(/^## /gm)].length)
  })

  it.each(steps)('the page on the sandbox: $title', async ({ script }) => {
    expect(await run(script)).toMatchObject({ exitCode: 0 })
  })

  it('has its first step in the README: a block that works in an empty folder', async () => {
    const blocks = [...readFileSync('README.md', 'utf8').matchAll(/^```console\n([\s\S]*?)^```/gm)]
    const [script = ''] = blocks.flatMap(([, text = '']) => (text.includes('template >') ? [text] : []))
    const lines = script.trimEnd().split('\n')
    expect(lines.every((line) => line.startsWith('$ dlv '))).toBe(true)
    const commands = lines.map((line) => line.slice(2)).join('\n')
    const { stdout, exitCode } = await cli.script(`set -euo pipefail\n${commands}`, { cwd: createTempDir() })
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/^status\taccepted$/m)
  })

  it('would notice a recipe that fails', async () => {
    expect(await run('dlv deliveries get del_missing | cat')).toMatchObject({ exitCode: 4 })
  })
})
