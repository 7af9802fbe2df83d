import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { errorText, localFailure, reportOf } from '../../../src/cli/errors/report.js'
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
