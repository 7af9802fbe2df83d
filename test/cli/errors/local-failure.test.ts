import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { archiveError } from '../../../src/archive/database.js'
import { errorText, localFailure, reportOf } from '../../../src/cli/errors/report.js'
import { journalError } from '../../../src/listener/journal/sqlite/failure.js'
import { createTempDir } from '../../support/temp-dir.js'
import { thrownBy } from '../../support/thrown-by.js'

describe('a failure of the machine', () => {
  it.each([
    ['a damaged database', (file: string) => writeFileSync(file, 'x'.repeat(5_000)), 'DAMAGED_FILE'],
    ['a directory in the place of a database', (file: string) => mkdirSync(file), 'FILE_ACCESS'],
  ])('%s is no bug', (_name, prepare, code) => {
    const file = join(createTempDir(), 'state.db')
    prepare(file)
    const error = thrownBy(() => new DatabaseSync(file).exec('CREATE TABLE t (x)'))
    expect(reportOf(error)).toMatchObject({ code, exitCode: 2 })
    expect(errorText(reportOf(error), { colour: false })).not.toMatch(/bug|defect/i)
  })

  it('a locked database is no bug', () => {
    const file = join(createTempDir(), 'state.db')
    const holder = new DatabaseSync(file)
    holder.exec('CREATE TABLE t (x); BEGIN EXCLUSIVE')
    const error = thrownBy(() => new DatabaseSync(file, { timeout: 0 }).exec('INSERT INTO t VALUES (1)'))
    holder.close()
    expect(reportOf(error)).toMatchObject({ code: 'FILE_LOCKED', exitCode: 2 })
  })

  it('of a disk without room for the index of a database is a full disk, also if SQLite calls it an I/O error', () => {
    const folder = createTempDir()
    const file = join(folder, 'state.db')
    const full = Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode: 4_874 })
    expect(reportOf(full)).toMatchObject({ code: 'DISK_FULL', exitCode: 2 })
    for (const [error, what] of [
      [archiveError(file, 'open', full), 'open the archive'],
      [archiveError({ archive: file, people: `${file}.people` }, 'write', full), 'write the archive'],
      [journalError(file, full, 'open', 'Is the directory there?'), 'open the journal'],
      [journalError(file, full, 'read'), 'read the journal'],
    ] as const)
      expect(reportOf(error)).toMatchObject({
        message: `Cannot ${what} ${file}: the disk of ${folder} is full.`,
        hint: expect.stringContaining('Free some space on it'),
        exitCode: 2,
      })
  })

  it('names the path of a file that cannot be used', () => {
    const file = join(createTempDir(), 'missing', 'file')
    const error = thrownBy(() => writeFileSync(file, ''))
    expect(reportOf(error)).toMatchObject({
      code: 'FILE_ACCESS',
      message: `Cannot use ${file}: no such file or directory.`,
      exitCode: 2,
    })
  })

  it('is not seen in a wrong statement, which is a bug', () => {
    const error = thrownBy(() => new DatabaseSync(':memory:').exec('SELEC'))
    expect(localFailure(error)).toBeUndefined()
    const report = reportOf(error)
    expect(report).toMatchObject({ code: 'DEFECT', exitCode: 1 })
    expect(report.hint).toContain('This is a bug in dlv.')
  })
})
