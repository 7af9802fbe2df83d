import { ConnectionError, UsageError } from '../shared/dlv-error.js'
import { answeredError } from './answers.js'

/** The connection ended, or was given up, before the answer to a statement: whether it was executed is unknown. */
export class ConnectionLost extends Error {}

/** No server takes writes: why, for each host. */
export class NoPrimary extends Error {
  constructor(
    /** Such as `one:5432 is a standby` and `two:5432 is unreachable (connection refused)`. */
    readonly reasons: readonly string[],
    readonly hasStandby: boolean,
    /** How to fix a server that was refused here. */
    readonly hint?: string,
    /** The error of a host that answered, or took the login and no statement. */
    options: { cause?: unknown } = {},
  ) {
    super(reasons.join('; '), options.cause === undefined ? undefined : { cause: options.cause })
  }
}

/** A server that takes writes, but not from this session: its role or database reads only. */
export class ReadOnlySession extends Error {
  /** The SQLSTATE that a write would get. */
  readonly code = '25006'
}

/** A server that gets no password and no data: why, to be put behind its name. */
export class UntrustedServer extends Error {
  constructor(
    why: string,
    readonly hint: string,
  ) {
    super(why)
  }
}

/** A server warned during a write that must be durable: the write may not have reached the standby. */
export class DoubtfulWrite extends Error {}

/** The SQLSTATE of an error of the server, or the code of one of the network. */
export function codeOf(error: unknown): string | undefined {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : undefined
}

/**
 * Whether the database may answer again without anybody changing the program: servers restart, standbys are promoted,
 * disks get room.
 */
export function isPassing(error: unknown): boolean {
  if (error instanceof ConnectionLost || error instanceof NoPrimary || error instanceof DoubtfulWrite) return true
  const code = codeOf(error) ?? ''
  // Class 08: connection, 40: rolled back, 53: resources, 57P: the server stops or starts, 58: its disk. 25006: it has
  // become a standby. 55P03: somebody holds a lock. 57014: the statement was cancelled. E…: the network, such as EPIPE.
  return /^(?:08|40|53|57P|58)|^25006$|^55P03$|^57014$|^E[A-Z]+$/.test(code)
}

/** Whether trying another connection would not help: a rejected password, a missing database. */
export function isRefusal(error: unknown): boolean {
  return /^(?:28|3D|42501)/.test(codeOf(error) ?? '')
}

/** Whether a server, or a pooler in its name, has answered with this error. */
export function isAnswer(error: unknown): boolean {
  // Codes of the network, such as EPIPE, begin with an E, and no SQLSTATE does.
  return /^[0-9A-DF-Z][0-9A-Z]{4}$/.test(codeOf(error) ?? '')
}

/** PgBouncer's error for a transaction in statement mode; it is never translated. */
export function isStatementPooling(error: unknown): boolean {
  return error instanceof Error && /statement pooling mode/.test(error.message)
}

/**
 * The error for a database that cannot be used.
 *
 * @param subject the database's name in messages, such as `The journal postgres://app@one:5432/dlv`
 */
export function databaseError(error: unknown, subject: string): UsageError | ConnectionError {
  if (error instanceof UsageError || error instanceof ConnectionError) return error
  const answer = answerOf(error)
  if (answer !== undefined) return answeredError(answer, subject, error)
  if (error instanceof NoPrimary) return unreachableError(error, subject)
  const why = error instanceof Error ? error.message : String(error)
  if (isPassing(error))
    return new ConnectionError(`${subject} is unreachable: ${why}.`, {
      reason: 'unreachable',
      hint: unreachableHint,
      cause: error,
    })
  return new UsageError(`${subject} cannot be used: ${why}.`, { cause: error })
}

/** The error with which a server answered, or ended a connection; `undefined` if there is none, or another host is to be named. */
function answerOf(error: unknown): Error | undefined {
  if (!(error instanceof Error)) return undefined
  if (isAnswer(error)) return error
  const isAlone = !(error instanceof NoPrimary) || error.reasons.length === 1
  return isAlone && (error instanceof ConnectionLost || error instanceof NoPrimary) && isAnswer(error.cause)
    ? (error.cause as Error)
    : undefined
}

const unreachableHint = 'Is PostgreSQL running there, and can this machine reach it?'

function unreachableError(error: NoPrimary, subject: string): ConnectionError {
  const why = error.message
  if (error.hint !== undefined)
    return new ConnectionError(`${subject} cannot be used: ${why}.`, { reason: 'tls', hint: error.hint, cause: error })
  if (isAnswer(error.cause)) {
    const { hint } = answeredError(error.cause as Error, subject, error)
    return new ConnectionError(`${subject} cannot be used: ${why}.`, { reason: 'other', hint, cause: error })
  }
  // The login was taken, by a pooler or by a server that hangs.
  if (error.cause instanceof ConnectionLost)
    return new ConnectionError(`${subject} does not answer: ${why}.`, {
      reason: 'timeout',
      hint: 'The server behind a pooler may be down, or its pool (default_pool_size) is used up; a server that hangs may be out of disk or memory.',
      cause: error,
    })
  const hint = error.hasStandby
    ? 'A standby takes no writes. Name every host of the pair: postgres://user@one:5432,two:5432/name.'
    : unreachableHint
  const what = error.hasStandby && !why.includes('unreachable') ? 'has no primary' : 'is unreachable'
  return new ConnectionError(`${subject} ${what}: ${why}.`, { reason: 'unreachable', hint, cause: error })
}

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EHOSTUNREACH: 'no route to host',
  ENETUNREACH: 'network unreachable',
  ENOENT: 'no such socket',
  ENOTFOUND: 'name not found',
  EAI_AGAIN: 'name not found',
  ETIMEDOUT: 'timed out',
  '53300': 'too many connections',
  '57P03': 'it is starting or stopping',
}

/** Why a server could not be reached, in a few words. */
export function failureWord(error: unknown): string {
  const nested: unknown = error instanceof AggregateError ? error.errors[0] : error
  return words[codeOf(nested) ?? ''] ?? (nested instanceof Error ? nested.message : String(nested))
}
