import { fileReasons } from '../../shared/node-errors.js'

/** A failure of this machine rather than of the program: a file, a disk, a damaged database. */
interface LocalFailure {
  code: 'DAMAGED_FILE' | 'FILE_LOCKED' | 'DISK_FULL' | 'FILE_ACCESS'
  message: string
  hint: string
}

/** The meaning of SQLite's primary result codes to a user; any other would be a bug. */
const sqlite: Readonly<Record<number, LocalFailure>> = {
  5: locked(),
  6: locked(),
  8: access('Cannot write a database of dlv: it is read-only.'),
  10: access('Cannot read or write a database of dlv: input/output error.'),
  11: damaged(),
  13: full('Cannot write a database of dlv: no space left.'),
  14: access('Cannot open a database of dlv.'),
  26: damaged(),
}

/** Recognizes an error as a failure of this machine; `undefined` for a bug. */
export function localFailure(error: unknown): LocalFailure | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, errcode, path } = error as NodeJS.ErrnoException & { errcode?: number }
  // The low byte is the primary result code; the others refine it.
  if (code === 'ERR_SQLITE_ERROR') return errcode === undefined ? undefined : sqlite[errcode & 0xff]
  if (code === undefined || path === undefined || !Object.hasOwn(fileReasons, code)) return undefined
  const message = `Cannot use ${path}: ${fileReasons[code]}.`
  return code === 'ENOSPC' || code === 'EDQUOT' ? full(message) : access(message)
}

function damaged(): LocalFailure {
  return {
    code: 'DAMAGED_FILE',
    message: 'A database of dlv is damaged or is not a database.',
    hint: 'dlv doctor names the data directory. Move the damaged .db file away and run the command again.',
  }
}

function locked(): LocalFailure {
  return {
    code: 'FILE_LOCKED',
    message: 'A database of dlv is locked by another process.',
    hint: 'Wait for the other dlv command to end, or stop it, and run this one again.',
  }
}

function full(message: string): LocalFailure {
  return { code: 'DISK_FULL', message, hint: 'Free some space and run the command again.' }
}

function access(message: string): LocalFailure {
  return {
    code: 'FILE_ACCESS',
    message,
    hint: 'Check the path and its permissions. DLV_CONFIG_DIR and DLV_DATA_DIR choose other directories.',
  }
}
