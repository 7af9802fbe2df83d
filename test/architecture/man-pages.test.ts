import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { manPages, pageName } from '../../scripts/man-pages.js'

const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'))
const manifest: { commands: Record<string, { hidden: boolean; aliases: string[] }> } = read('oclif.manifest.json')
const pages = await manPages(manifest, read('package.json').oclif, 'November 22, 2026')
const folder = mkdtempSync(join(tmpdir(), 'dlv-man-'))
afterAll(() => rmSync(folder, { recursive: true }))
const isInstalled = (command: string, ...words: string[]) => spawnSync(command, words).error === undefined

describe('Manual pages', () => {
  it('are there for the program and for every command', () => {
    const aliases = new Set(Object.values(manifest.commands).flatMap((command) => command.aliases))
    const commands = Object.entries(manifest.commands).filter(([id, { hidden }]) => !hidden && !aliases.has(id))
    expect([...pages.keys()].sort()).toEqual(['dlv.1', ...commands.map(([id]) => `${pageName(id)}.1`)].sort())
    for (const [id] of commands) expect(pages.get('dlv.1')).toContain(`Xr ${pageName(id)} 1\n`)
  })

  it.skipIf(!isInstalled('mandoc', '-T', 'lint', '/dev/null'))(
    'have no warning of mandoc (mandoc is installed)',
    () => {
      for (const [name, page] of pages) {
        const file = join(folder, name)
        writeFileSync(file, page)
        const { stdout, stderr } = spawnSync('mandoc', ['-T', 'lint', '-W', 'warning', file], { encoding: 'utf8' })
        expect(stdout + stderr, name).toBe('')
      }
    },
  )
})
