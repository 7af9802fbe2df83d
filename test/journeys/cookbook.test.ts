import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compiledCode } from '../support/compile-cache.js'

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

const home = mkdtempSync(join(tmpdir(), 'dlv-cookbook-'))
symlinkSync(resolve('bin/run.js'), join(home, 'dlv'))
afterAll(() => rmSync(home, { recursive: true }))

const run = promisify(execFile)
const env = {
  HOME: home,
  TMPDIR: home,
  PATH: `${home}:${dirname(process.execPath)}:${process.env.PATH}`,
  LANG: 'C.UTF-8',
  NODE_COMPILE_CACHE: compiledCode,
}

/** Stores are closed at night: the sandbox's clock moves to the next noon in North Carolina. */
beforeAll(async () => {
  const noon = new Date()
  noon.setUTCHours(17, 0, 0, 0)
  if (noon.getTime() < Date.now()) noon.setUTCDate(noon.getUTCDate() + 1)
  await run('dlv', ['sandbox', 'clock', 'set', noon.toISOString()], { env })
})

describe('the cookbook', () => {
  it.each(recipes)('$title', async ({ script }) => {
    await expect(run('bash', ['--norc', '-euo', 'pipefail', '-c', script], { env })).resolves.toBeDefined()
  })

  it('has a recipe under every heading', () => {
    expect(recipes).toHaveLength([...page.matchAll(/^## /gm)].length)
  })

  it.each(steps)('the page on the sandbox: $title', async ({ script }) => {
    await expect(run('bash', ['--norc', '-euo', 'pipefail', '-c', script], { env })).resolves.toBeDefined()
  })

  it('has its first step in the README: a block that works in an empty folder', async () => {
    const blocks = [...readFileSync('README.md', 'utf8').matchAll(/^```console\n([\s\S]*?)^```/gm)]
    const [script = ''] = blocks.flatMap(([, text = '']) => (text.includes('template >') ? [text] : []))
    const lines = script.trimEnd().split('\n')
    expect(lines.every((line) => line.startsWith('$ dlv '))).toBe(true)
    const commands = lines.map((line) => line.slice(2)).join('\n')
    const cwd = mkdtempSync(join(home, 'empty-'))
    const { stdout } = await run('bash', ['--norc', '-euo', 'pipefail', '-c', commands], { env, cwd })
    expect(stdout).toMatch(/^status\taccepted$/m)
  })

  it('would notice a recipe that fails', async () => {
    await expect(
      run('bash', ['--norc', '-euo', 'pipefail', '-c', 'dlv deliveries get del_missing | cat'], { env }),
    ).rejects.toMatchObject({ code: 4 })
  })
})
