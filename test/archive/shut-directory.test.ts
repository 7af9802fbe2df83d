import { chmodSync, cpSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { ArchiveReader, archivePaths, runQuery } from '../../src/archive/index.js'
import { archiveOf, fillArchive } from '../support/archive/filled.js'
import { createCli } from '../support/cli/program.js'
import { createTempDir } from '../support/temp-dir.js'

/** Whom a directory's permissions do not stop is somebody else meanwhile. */
function asSomebodyElse(): void {
  if (process.getuid?.() !== 0) return
  process.seteuid?.(65_534)
  onTestFinished(() => process.seteuid?.(0))
}

it('an archive in a directory that nobody may write is read, with and without people', async () => {
  const cli = createCli(onTestFinished)
  fillArchive(cli, Date.now())
  const folder = join(createTempDir(), 'copy')
  cpSync(dirname(archiveOf(cli).archive), folder, { recursive: true })
  const paths = archivePaths(folder, 'local')
  for (const file of [paths.archive, paths.people]) chmodSync(file, 0o444)
  chmodSync(dirname(folder), 0o755)
  chmodSync(dirname(dirname(folder)), 0o755)
  chmodSync(folder, 0o555)
  onTestFinished(() => chmodSync(folder, 0o755))
  asSomebodyElse()
  const asked = (sql: string, withPeople: boolean) => [...runQuery({ paths, sql, parameters: {}, withPeople }).rows]
  expect(asked('SELECT count(*) > 0 FROM deliveries', false)).toEqual([[1]])
  expect(asked('SELECT count(*) > 0 FROM people.people', true)).toEqual([[1]])
  const archive = ArchiveReader.open(paths, { people: true })
  expect([...archive.deliveries()].length).toBeGreaterThan(0)
  archive.close()
})
