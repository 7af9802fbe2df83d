import {
  chmodSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openForReading, openForWriting } from '../../src/archive/database.js'
import { type ArchivePaths, archivePaths, runQuery } from '../../src/archive/index.js'
import { createCli } from '../support/cli/program.js'
import { createTempDir } from '../support/temp-dir.js'

const stranger = 65_534

describe('A data directory that other users can write', () => {
  const planted = (): { paths: ArchivePaths; elsewhere: string } => {
    const directory = join(createTempDir(), 'shared')
    mkdirSync(directory)
    chmodSync(directory, 0o1777)
    return { paths: archivePaths(directory, 'account'), elsewhere: join(directory, 'elsewhere') }
  }

  it.runIf(process.getuid?.() === 0)('gets no names through a file of a stranger', () => {
    const { paths } = planted()
    writeFileSync(paths.people, '', { mode: 0o666 })
    lchownSync(paths.people, stranger, stranger)
    expect(() => openForWriting('people', paths.people)).toThrow('belongs to another user')
    expect(() => openForReading('people', paths.people)).toThrow('belongs to another user')
    expect(readFileSync(paths.people, 'utf8')).toBe('')
  })

  it.runIf(process.getuid?.() === 0)('gets no names through a link of a stranger', () => {
    const { paths, elsewhere } = planted()
    symlinkSync(elsewhere, paths.people)
    lchownSync(paths.people, stranger, stranger)
    expect(() => openForWriting('people', paths.people)).toThrow('belongs to another user')
    expect(existsSync(elsewhere)).toBe(false)
  })

  it('gets files for their owner only, under any umask', () => {
    const { paths } = planted()
    const before = process.umask(0)
    try {
      for (const file of ['archive', 'people'] as const) openForWriting(file, paths[file]).close()
    } finally {
      process.umask(before)
    }
    expect([statSync(paths.archive).mode & 0o777, statSync(paths.people).mode & 0o777]).toEqual([0o600, 0o600])
  })
})

it('A query opens no other file and runs no code, whatever asks it to', () => {
  const { archive, people } = archivePaths(createTempDir(), 'account')
  for (const [file, path] of [
    ['archive', archive],
    ['people', people],
  ] as const)
    openForWriting(file, path).close()
  const read = (sql: string) => [
    ...runQuery({ paths: { archive, people }, sql, parameters: {}, withPeople: false }).rows,
  ]
  for (const sql of [
    `attach '${people}' as p`,
    "select load_extension('x')",
    'select * from pragma_database_list',
    'select * from people',
    'select * from people_file.people',
    'select * from sqlite_dbpage',
    "select * from fsdir('/')",
    'pragma mmap_size = 1',
    'pragma trusted_schema = on',
    'pragma hard_heap_limit = 1',
  ])
    expect(() => read(sql), sql).toThrow()
  expect(JSON.stringify(read('select sql from sqlite_schema'))).not.toContain('contact_phone')
})

it.each(['constructor', '__proto__', 'toString'])('A receiver in the language %s is refused', async (language) => {
  const { exitCode, stderr } = await createCli().run(['webhooks', 'receiver', language])
  expect(exitCode).toBe(2)
  expect(stderr).toContain('is not a language with a receiver')
})
