import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hourMs } from '../../shared/durations.js'
import { Refusal } from '../core/refusal.js'
import { UnusableSnapshotError } from '../store/snapshots.js'
import type { Store } from '../store/store.js'

const ending = '.db'
/** A snapshot file that is older than this and still incomplete was abandoned. */
const abandonedAfterMs = hourMs

/** A named copy of the state. */
interface SnapshotFile {
  name: string
  /** RFC 3339, in real time. */
  savedAt: string
  bytes: number
}

/** Named copies of the state: beside the file, or in a temporary directory if the state is in memory. */
export class Snapshots {
  private temporary: string | undefined

  constructor(private readonly store: Store) {}

  private folder(): string {
    if (this.store.path !== ':memory:') return `${this.store.path}.snapshots`
    this.temporary ??= mkdtempSync(join(tmpdir(), 'dlv-sandbox-'))
    return this.temporary
  }

  private file(name: string): string {
    if (!/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$/.test(name)) {
      const message =
        'The name of a snapshot has 1 to 64 letters, digits, ".", "_" or "-", and does not begin with ".".'
      throw new Refusal('VALIDATION_ERROR', message, { status: 400, details: { name } })
    }
    return join(this.folder(), name + ending)
  }

  /** By name. */
  list(): SnapshotFile[] {
    if (this.store.path === ':memory:' && this.temporary === undefined) return []
    if (!existsSync(this.folder())) return []
    const names = readdirSync(this.folder()).filter((file) => file.endsWith(ending))
    return names.sort().flatMap((file) => {
      const found = statSync(join(this.folder(), file), { throwIfNoEntry: false })
      if (found === undefined) return []
      return [{ name: file.slice(0, -ending.length), savedAt: found.mtime.toISOString(), bytes: found.size }]
    })
  }

  /** Throws `SNAPSHOT_EXISTS` for a name that is taken unless it may be overwritten. */
  save(name: string, overwrite: boolean): SnapshotFile & { file: string } {
    const file = this.file(name)
    this.clearAbandoned()
    if (!overwrite && existsSync(file)) {
      const { savedAt } = this.described(file, name)
      throw new Refusal('SNAPSHOT_EXISTS', `A snapshot named ${name} was saved at ${savedAt}.`, {
        details: { name, savedAt },
      })
    }
    this.store.snapshot(file)
    return { ...this.described(file, name), file }
  }

  private described(file: string, name: string): SnapshotFile {
    const { mtime, size } = statSync(file)
    return { name, savedAt: mtime.toISOString(), bytes: size }
  }

  /** Throws `SNAPSHOT_UNUSABLE` for a file that is not a whole snapshot of this format; the state stays as it is. */
  restore(name: string): { file: string; damagedFile?: string } {
    const file = this.file(name)
    if (!existsSync(file)) {
      const known = this.list().map((snapshot) => snapshot.name)
      throw new Refusal('NOT_FOUND', `No snapshot "${name}" exists.`, { details: { name, known } })
    }
    try {
      const damagedFile = this.store.restore(file)
      return { file, ...(damagedFile === undefined ? {} : { damagedFile }) }
    } catch (error) {
      if (!(error instanceof UnusableSnapshotError)) throw error
      throw new Refusal('SNAPSHOT_UNUSABLE', error.message, { details: { name, file } })
    }
  }

  /** Removes what processes that were killed while they saved a snapshot have left behind. */
  private clearAbandoned(): void {
    if (!existsSync(this.folder())) return
    for (const name of readdirSync(this.folder()).filter((file) => file.endsWith('.tmp'))) {
      const file = join(this.folder(), name)
      const [, pid] = /\.(\d+)\.[\w-]+\.tmp$/.exec(name) ?? []
      const ageMs = Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
      if (ageMs > abandonedAfterMs || !isRunning(Number(pid))) rmSync(file, { force: true })
    }
  }

  /** Removes the snapshots of a sandbox that keeps nothing. */
  close(): void {
    if (this.temporary !== undefined) rmSync(this.temporary, { recursive: true, force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // EPERM: it runs for another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
