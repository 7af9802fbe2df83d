import { UsageError } from '../contract/index.js'
import { appendRecord } from './append-record.js'
import type { ProjectSettings } from './project-file.js'
import { isTrusted, recordOf, trustedPath } from './trust.js'

/** Records that a person trusts a project file at its place and with its content. Throws `UsageError`. */
export function trustProject(configDir: string, project: ProjectSettings): void {
  if (isTrusted(configDir, project)) return
  const file = trustedPath(configDir)
  try {
    appendRecord(file, recordOf(project))
  } catch (cause) {
    if (cause instanceof UsageError) throw cause
    throw new UsageError(`Cannot write ${file}: ${(cause as Error).message}.`, { cause })
  }
}
