import {
  ApiError,
  ConnectionError,
  ContractError,
  DlvError,
  type FieldError,
  QuoteRefusedError,
  SignatureError,
} from '../../contract/index.js'
import { plainLines, plainText, plainValue, safeJson } from '../../render/plain-text.js'
import { paint, type Style } from '../../render/style.js'
import { AccessDeniedError } from '../../shared/dlv-error.js'
import { isRecord } from '../../shared/json.js'
import { JsonNumber } from '../../shared/json-number.js'
import { fileReasons } from '../../shared/node-errors.js'
import { redactSecrets } from '../../shared/redact-secrets.js'
import { isOutOfRoom } from '../../shared/sqlite.js'
import { sentence } from '../../shared/texts.js'
import { explain } from '../explanations/index.js'
import {
  AmbiguousAccountError,
  AmbiguousNameError,
  AmbiguousReferenceError,
  UnknownEventError,
  UnknownReferenceError,
} from '../lookup/errors.js'
import { JqFailedError, JqTimeoutError } from '../output/jq/failure.js'
import { type ExitCode, exitCodeOf, exitCodes } from '../process/exit-codes.js'
import { IncompleteProgramError, incompleteFile } from '../process/whole-files.js'
import { inFlags } from './flag-words.js'
import { nextFor, type Subject, subjectOf } from './next-command.js'
import { usageErrorOf } from './parser-errors.js'
import { UnknownCommandError } from './unknown-command.js'

/** An error for programs: the object under `error` of `--json`. */
export interface ErrorReport {
  code: string
  message: string
  status: number | null
  requestId: string | null
  fieldErrors: readonly FieldError[]
  /** Further details of the service, unchanged; its shape depends on the code. */
  details: unknown
  hint: string | null
  exitCode: ExitCode
}

/**
 * The report of an error, with its exit code. Every failure of the program comes through here. `subject` is what the
 * command was about; the hint inserts it into the next command.
 */
export function reportOf(thrown: unknown, subject: Subject = {}): ErrorReport {
  const error = usageErrorOf(thrown)
  if (!(error instanceof DlvError)) return unforeseenReport(error)
  const { code, exitCode } = codesOf(error)
  const details = detailsOf(error)
  return {
    code,
    // The library's messages are parts of longer texts as well; the service's are left as they are.
    message: redactSecrets(error instanceof ApiError ? error.message : inFlags(sentence(error.message))),
    status: error instanceof ApiError || error instanceof ConnectionError ? (error.status ?? null) : null,
    requestId: 'requestId' in error && typeof error.requestId === 'string' ? error.requestId : null,
    fieldErrors: error instanceof ApiError ? error.fieldErrors : [],
    details,
    hint: hintOf(error, code, { ...subject, ...subjectOf(details) }),
    exitCode,
  }
}

function detailsOf(error: DlvError): ErrorReport['details'] {
  const hasDetails =
    error instanceof ApiError ||
    error instanceof AmbiguousReferenceError ||
    error instanceof AmbiguousNameError ||
    error instanceof AmbiguousAccountError
  return (hasDetails ? error.details : undefined) ?? null
}

/** Errors of our own whose code and exit code are not those of their kind. */
const ownErrors: readonly (readonly [Class: abstract new (...given: never[]) => DlvError, code: string, ExitCode])[] = [
  [UnknownCommandError, 'UNKNOWN_COMMAND', exitCodes.unknownCommand],
  [AccessDeniedError, 'ACCESS_DENIED', exitCodes.notAllowed],
  [UnknownReferenceError, 'DELIVERY_NOT_FOUND', exitCodes.notFound],
  [UnknownEventError, 'EVENT_NOT_FOUND', exitCodes.notFound],
  [AmbiguousReferenceError, 'AMBIGUOUS_REFERENCE', exitCodes.conflict],
  [AmbiguousAccountError, 'AMBIGUOUS_REFERENCE', exitCodes.conflict],
  [AmbiguousNameError, 'AMBIGUOUS_REFERENCE', exitCodes.conflict],
  [JqTimeoutError, 'JQ_TIMEOUT', exitCodes.noAnswer],
  [JqFailedError, 'JQ_FAILED', exitCodes.usage],
]

function codesOf(error: DlvError): { code: string; exitCode: ExitCode } {
  const own = ownErrors.find(([Class]) => error instanceof Class)
  if (own !== undefined) return { code: own[1], exitCode: own[2] }
  if (error instanceof QuoteRefusedError)
    return {
      code: error.code,
      exitCode: error.code === 'NO_QUOTE' ? exitCodes.unfulfillable : exitCodes.otherOutcome,
    }
  return { code: codeOfKind(error), exitCode: exitCodeOf(error) }
}

function codeOfKind(error: DlvError): string {
  if (error instanceof ApiError) return error.code
  if (error instanceof ConnectionError) return `CONNECTION_${error.reason.toUpperCase().replaceAll('-', '_')}`
  if (error instanceof ContractError) return 'CONTRACT_ERROR'
  return error instanceof SignatureError ? 'SIGNATURE_ERROR' : 'USAGE'
}

/** The error's own advice, or what its code means; for an error of the service, also what to run next. */
function hintOf(error: DlvError, code: string, subject: Subject): string | null {
  // Advice about one signature already names the mistake; verifying it again would say the same.
  const isComplete = error.kind === 'usage' || (error.kind === 'signature' && error.hint !== undefined)
  const [explanation] = isComplete ? [] : explain(code)
  const advice = error.hint === undefined ? explanation?.meaning : inFlags(error.hint)
  if (advice === undefined) return null
  const next = explanation === undefined ? undefined : nextFor(explanation, subject)
  const waits = waitAdvice(error)
  if (waits !== undefined && !advice.includes('Next: '))
    return redactSecrets(advice.includes('asks to wait') ? advice : `${sentence(advice)} ${waits}`)
  return redactSecrets(next === undefined || advice.includes('Next: ') ? advice : `${sentence(advice)} Next: ${next}`)
}

/** When to come back, where the service asks to wait: any other request would be one more; `undefined` elsewhere. */
function waitAdvice(error: DlvError): string | undefined {
  const isAnswer = error instanceof ApiError || error instanceof ConnectionError
  const isHeld = error instanceof ConnectionError && error.reason === 'held'
  if (!isAnswer || !(isHeld || error.status === 429 || error.status === 503)) return undefined
  const seconds = Math.ceil((error.retryAfterMs ?? 0) / 1_000)
  return seconds === 0
    ? 'Wait a minute, then run the same command again.'
    : `Wait ${seconds} s, then run the same command again.`
}

/** A failure that the service has no part in. */
function localReport(failure: Pick<ErrorReport, 'code' | 'message' | 'hint' | 'exitCode'>): ErrorReport {
  const { code, message, hint, exitCode } = failure
  return {
    code,
    message: redactSecrets(message),
    status: null,
    requestId: null,
    fieldErrors: [],
    details: null,
    hint,
    exitCode,
  }
}

/** The report of an error of this machine, such as a full disk; of any other, that it is a bug. */
function unforeseenReport(error: unknown): ErrorReport {
  const failure = localFailure(error) ?? missingPart()
  if (failure !== undefined) return localReport({ ...failure, exitCode: exitCodes.usage })
  return localReport({
    code: 'DEFECT',
    message: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
    hint: 'This is a bug in dlv. Please report it with the command you ran and the stack trace that --verbose prints.',
    exitCode: exitCodes.defect,
  })
}

/** The report if stdout cannot be written, for example on a full disk. `hasWritten`: a write was sent to the service. */
export function unwrittenReport(error: Error, hasWritten: boolean): ErrorReport {
  return localReport({
    code: 'RESULTS_NOT_WRITTEN',
    message: `Cannot write the results: ${error.message}.`,
    hint: hasWritten
      ? 'The service may have done what was asked. Make room, then run the same command again: an order keeps its key.'
      : 'Make room, then run the same command again.',
    exitCode: exitCodes.otherOutcome,
  })
}

/** The error as one line of JSON. */
export function errorJson(report: ErrorReport): string {
  return safeJson({ error: report })
}

/** The error for a person: what failed, with the value, the request id, and what to do. */
export function errorText(report: ErrorReport, style: Pick<Style, 'colour'>): string {
  const known = report.code === 'USAGE' || report.code === 'UNKNOWN_COMMAND' ? '' : ` (${codeAndStatus(report)})`
  const lines = [`${paint(style, 'red', 'error:')} ${plainLines(report.message)}${plainText(known)}`]
  for (const { field, code, message } of report.fieldErrors) {
    const isSaid = message != null && report.message.includes(`${field} ${message}`)
    if (!isSaid) lines.push(`  ${plainText(field)}: ${plainText(message ?? code)}`)
  }
  lines.push(...detailLines(report.details))
  if (report.requestId !== null) lines.push(`  request id: ${plainText(report.requestId)}`)
  if (report.hint !== null) lines.push(`${paint(style, 'dim', 'hint:')} ${plainLines(report.hint)}`)
  return lines.join('\n')
}

/** The details of the service's error, one per line; those of fields have lines of their own. */
function detailLines(details: ErrorReport['details']): string[] {
  const named = isRecord(details) ? details : { details }
  return Object.entries(named).flatMap(([name, value]) => {
    if (name === 'fieldErrors' || value == null || value === '') return []
    const isPlainList =
      Array.isArray(value) && value.every((part) => typeof part !== 'object' || part instanceof JsonNumber)
    if (Array.isArray(value) && value.length > 0 && value.every(isFlat))
      return value.map((part) => `  ${Object.values(part).map(plainValue).join('  ')}`)
    const text = isPlainList ? value.join(', ') : typeof value === 'object' ? safeJson(value) : String(value)
    return [`  ${plainText(name)}: ${plainText(text === '' ? 'none' : text)}`]
  })
}

/** Whether a value is an object of texts and numbers, such as one of several deliveries. */
function isFlat(value: unknown): value is Record<string, unknown> {
  return isRecord(value) && Object.values(value).every((member) => member === null || typeof member !== 'object')
}

function codeAndStatus({ code, status }: ErrorReport): string {
  return status === null ? code : `${code}, HTTP ${status}`
}

/** A failure of this machine rather than of the program: a file, a disk, a damaged database. */
interface LocalFailure {
  code: 'DAMAGED_FILE' | 'FILE_LOCKED' | 'DISK_FULL' | 'FILE_ACCESS' | 'INCOMPLETE_INSTALLATION' | 'NODE_PERMISSION'
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
  if (isOfIncompleteProgram(error)) return incomplete(error)
  if (code === 'ERR_ACCESS_DENIED') return notPermitted(error)
  // The low byte is the primary result code; the others refine it.
  if (code === 'ERR_SQLITE_ERROR')
    return errcode === undefined ? undefined : sqlite[isOutOfRoom(error) ? 13 : errcode & 0xff]
  if (code === undefined || path === undefined || !Object.hasOwn(fileReasons, code)) return undefined
  const message = `Cannot use ${path}: ${fileReasons[code]}.`
  return code === 'ENOSPC' || code === 'EDQUOT' ? full(message) : access(message)
}

/** What an error that nothing explains may come from: a chunk that is empty exports nothing. */
function missingPart(): LocalFailure | undefined {
  const missing = incompleteFile()
  return missing === undefined ? undefined : incomplete(missing)
}

/** What Node's permission model refused: its message names the flag. */
function notPermitted({ message }: Error): LocalFailure {
  const [flag = '--allow-fs-read'] = /--allow-[a-z-]*[a-z]/.exec(message) ?? []
  const whole = flag.startsWith('--allow-fs-') ? `${flag}=*` : flag
  return {
    code: 'NODE_PERMISSION',
    message: `Node's permission model does not allow this: ${flag} is missing.`,
    hint: `Add ${whole} where node --permission is written, or in NODE_OPTIONS.`,
  }
}

/** Whether a file of the program is missing or half there, as while another version is copied over it. */
function isOfIncompleteProgram(error: NodeJS.ErrnoException): boolean {
  if (error instanceof IncompleteProgramError) return true
  if (error.code === 'MODULE_NOT_FOUND' || error.code === 'ERR_MODULE_NOT_FOUND') return true
  const [where = ''] = error.stack?.split('\n') ?? []
  const isOwn = /[\\/](?:dist[\\/]program[\\/].*\.(?:cjs|br)|oclif\.manifest\.json)\b/
  return error instanceof SyntaxError ? isOwn.test(where) : error.code === 'ENOENT' && isOwn.test(error.path ?? '')
}

function incomplete(error: Error): LocalFailure {
  const [what = ''] = error.message.split('\n')
  return {
    code: 'INCOMPLETE_INSTALLATION',
    message: `A file of dlv is missing or incomplete: ${what}.`,
    hint: 'If another version is being installed, run the same command again when that is done; otherwise install dlv again.',
  }
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
