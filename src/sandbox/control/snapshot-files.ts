import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Refusal } from '../core/refusal.js'
import type { Store } from '../store/store.js'

const ending = '.db'

/** Named copies of the state: beside the file, or in a temporary folder where there is none. */
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
      throw new Refusal('VALIDATION_ERROR', 'A snapshot is named by letters, digits, ".", "_" and "-".', {
        status: 400,
      })
    }
    return join(this.folder(), name + ending)
  }

  list(): string[] {
    if (this.store.path === ':memory:' && this.temporary === undefined) return []
    if (!existsSync(this.folder())) return []
    const files = readdirSync(this.folder()).filter((file) => file.endsWith(ending))
    return files.map((file) => file.slice(0, -ending.length)).sort()
  }

  save(name: string): string {
    const file = this.file(name)
    this.store.snapshot(file)
    return file
  }

  restore(name: string): string {
    const file = this.file(name)
    if (!existsSync(file)) throw new Refusal('NOT_FOUND', `There is no snapshot named ${name}.`)
    this.store.restore(file)
    return file
  }

  /** Removes what would outlive a sandbox that keeps nothing. */
  close(): void {
    if (this.temporary !== undefined) rmSync(this.temporary, { recursive: true, force: true })
  }
}
