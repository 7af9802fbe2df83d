import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** The NDJSON files of a directory that are named after months, such as `2026-11.ndjson`, oldest first. */
export function monthlyFiles(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => /^\d{4}-\d{2}\.ndjson$/.test(name))
    .sort()
    .map((name) => join(folder, name))
}
