import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createCli } from '../support/cli/program.js'
import { createTempDir } from '../support/temp-dir.js'

function project() {
  const [cli, cwd] = [createCli(), createTempDir()]
  return {
    cwd,
    setup: (...words: string[]) => cli.run(['agent', 'setup', ...words], { cwd }),
    read: (name: string) => readFileSync(join(cwd, name), 'utf8'),
    write(name: string, text: string) {
      mkdirSync(join(cwd, name, '..'), { recursive: true })
      writeFileSync(join(cwd, name), text)
    },
  }
}

const skill = '.claude/skills/dlv/SKILL.md'

describe('agent setup', () => {
  it('writes AGENTS.md with every command, and changes nothing the second time', async () => {
    const { setup, read } = project()
    expect(await setup('--json')).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('"change": "created"') })
    const text = read('AGENTS.md')
    const manifest = JSON.parse(readFileSync('oclif.manifest.json', 'utf8')) as {
      commands: Record<string, { hidden?: boolean; summary: string }>
    }
    for (const [id, { hidden, summary }] of Object.entries(manifest.commands))
      if (!hidden && !id.startsWith('__')) expect(text).toContain(`- \`dlv ${id.replaceAll(':', ' ')}\`: ${summary}`)
    expect((await setup('--json')).stdout).toContain('"change": "unchanged"')
    expect(read('AGENTS.md')).toBe(text)
  })

  it('does not create the directory of a misspelt --dir', async () => {
    const { setup, write, cwd } = project()
    write('notes.txt', '')
    mkdirSync(join(cwd, 'project'))
    const missing = await setup('--dir', 'projct')
    expect(missing).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('Did you mean project?') })
    expect(missing.stderr).toContain('--dir projct cannot be read: no such file or directory.')
    expect((await setup('--dir', 'notes.txt')).stderr).toContain('--dir notes.txt cannot be read: not a directory.')
    expect(readdirSync(cwd).sort()).toEqual(['notes.txt', 'project'])
    expect((await setup('--dir', 'project')).exitCode).toBe(0)
  })

  it('writes a skill where the project has .claude', async () => {
    const { setup, read, cwd } = project()
    mkdirSync(join(cwd, '.claude'))
    expect((await setup()).exitCode).toBe(0)
    expect(read(skill)).toMatch(/^---\nname: dlv\ndescription: .{50,400}\n---\n/)
  })

  it('leaves the text around its section alone, and replaces the section of an older version', async () => {
    const { setup, read, write } = project()
    write('AGENTS.md', '# Ours\n\nBe kind.\n')
    await setup()
    expect(read('AGENTS.md')).toMatch(/^# Ours\n\nBe kind\.\n\n<!-- dlv:begin/)
    const content = 'Old text.'
    const { hash } = await import('node:crypto')
    const old = `<!-- dlv:begin ${hash('sha256', content, 'hex').slice(0, 12)} x -->\n${content}\n<!-- dlv:end -->\n`
    write('AGENTS.md', `Before.\n\n${old}\nAfter.\n`)
    expect((await setup('--json')).stdout).toContain('"change": "updated"')
    const text = read('AGENTS.md')
    expect([text.startsWith('Before.\n\n<!--'), text.endsWith('<!-- dlv:end -->\n\nAfter.\n')]).toEqual([true, true])
    expect(text).not.toContain('Old text.')
  })

  it('leaves a file that is not UTF-8 as it is', async () => {
    const { setup, cwd } = project()
    const latin = Buffer.from('Caf\u00e9 rules.\n', 'latin1')
    writeFileSync(join(cwd, 'AGENTS.md'), latin)
    expect(await setup('--yes')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/AGENTS\.md is not UTF-8 text.*\n.*Convert it/),
    })
    expect(readFileSync(join(cwd, 'AGENTS.md'))).toEqual(latin)
  })

  it('asks before it replaces what somebody else wrote', async () => {
    const { setup, read, write } = project()
    await setup()
    const edited = read('AGENTS.md').replace('## Rules', '## Our own rules')
    write('AGENTS.md', edited)
    const refused = await setup()
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('which would be lost. Replace it?')])
    expect(read('AGENTS.md')).toBe(edited)
    expect((await setup('--yes')).exitCode).toBe(0)
    expect(read('AGENTS.md')).toContain('## Rules')
    write(skill, '---\nname: dlv\n---\nMy own skill.\n')
    expect((await setup('--skill')).exitCode).toBe(2)
    expect(read(skill)).toContain('My own skill.')
  })

  it('prints without writing', async () => {
    const { setup, read } = project()
    expect((await setup('--print', '--skill')).stdout).toMatch(/^---\nname: dlv/)
    expect(() => read('AGENTS.md')).toThrow()
  })
})
