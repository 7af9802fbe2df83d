import { existsSync } from 'node:fs'
import { Readable } from 'node:stream'
import type { z } from 'zod'
import { type InputRow, type Rows, readRows, UpdateRow } from '../../../bulk/index.js'
import { AccountsRecord } from '../../../bulk/internal.js'
import { DeliveryCreate, UsageError } from '../../../contract/index.js'
import { profileNamed, readProfiles } from '../../../profiles/index.js'
import { type View, withProfile, withProfileColumn } from '../../../render/view.js'
import { accountWords } from '../../accounts/several.js'
import { BufferedAsyncQueue } from '../../bulk/async-queue.js'
import { defaultResultsFile } from '../../bulk/bulk-run.js'
import { type BulkFlags, writtenAs } from '../../bulk/carry-out.js'
import { assertRejectable, commandAgain, writeRejects } from '../../bulk/rejects.js'
import { areShared, resultsBeside } from '../../bulk/results-place.js'
import { silentNotices } from '../../bulk/table-reading.js'
import { type Gathered, runOne } from '../../command/run-several.js'
import { profileField, profileOf, withProfileField } from '../../input/account-rows.js'
import { pathOf } from '../../input/read.js'
import { inputSource, isReadOnce } from '../../input/source.js'
import type { AccountRows, ProcessContext } from '../../process/context.js'
import { accountSession, gravestOf } from '../../session/account-session.js'
import type { Session } from '../../session/session.js'
import { fileReading, type SpreadsheetFlags } from './column-map.js'

/** A command that works on the rows of a file. */
interface RowCommand {
  /** The file, or `-`. */
  file: string
  /** The fields of a row. */
  schema: z.ZodType
  flags: SpreadsheetFlags &
    Partial<BulkFlags> & { 'max-total'?: string | undefined; ref?: string | undefined; yes?: boolean | undefined }
  /** Whether it only reads, so that production needs no confirmation. */
  isReading?: boolean
}

/** The results that are held for printing before the runs of the accounts wait. */
const heldRows = 1_000

/**
 * Runs a command once for each account that the rows of its file name, side by side: each with its client, its allowance,
 * its ledger, on one record of results.
 *
 * @returns whether the rows name accounts; if not, nothing was done
 * @throws UsageError for a profile that does not exist, or is production without `--yes`: nothing was sent
 */
export async function runByAccounts(session: Session, command: RowCommand): Promise<boolean> {
  const { context } = session
  const { file, flags } = command
  // What another command has started works on the account that it was given.
  if (context.accountRows ?? context.gathering ?? context.account) return false
  if (file !== '-' && isReadOnce(context, file)) return false
  const reading = { ...(await fileReading(flags, command.schema, session)), ...silentNotices }
  const options = { ...reading, schema: withProfileField(command.schema), allowIds: true }
  const open = (bytes: AsyncIterable<Uint8Array>, what: string) => readRows(bytes, { ...options, what })
  const isByRows = (bytes: AsyncIterable<Uint8Array>) => namesAccounts(open(bytes, file))
  const isByAccounts = file === '-' ? inputBegins(session, isByRows) : fileNamesAccounts(context, file, open)
  if (!(await isByAccounts)) return false
  refuseFlags(flags)
  const input = file === '-' ? await Array.fromAsync(context.stdin, (piece) => Buffer.from(piece)) : []
  const source = file === '-' ? { bytes: pieces(input), what: 'Standard input' } : inputSource(context, file)
  const profiles = await accountsOf(session, open(source.bytes, source.what), command)
  await runAll(session, profiles, command, { input, reading })
  return true
}

async function* pieces(all: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* all
}

/**
 * Whether the rows name their accounts: a table by its columns, others by the first of them, or if `isWhole` by any. What
 * cannot be read is left to the command, which says why.
 */
async function namesAccounts(rows: Rows, isWhole = false): Promise<boolean | undefined> {
  try {
    let isAny = false
    for await (const batch of rows) {
      const { fields } = rows.reading
      if (fields !== undefined) return fields.includes(profileField)
      if (batch.some((row) => profileOf(row) !== undefined)) return true
      isAny ||= batch.length > 0
      if (isAny && !isWhole) return false
    }
    return isAny ? false : undefined
  } catch (error) {
    if (error instanceof UsageError) return undefined
    throw error
  }
}

/** Whether rows of a file name their accounts, also if only the last does: nothing may have been sent before it is read. */
async function fileNamesAccounts(
  context: ProcessContext,
  file: string,
  open: (bytes: AsyncIterable<Uint8Array>, what: string) => Rows,
): Promise<boolean> {
  const rows = () => open(inputSource(context, file).bytes, file)
  return (
    (await namesAccounts(rows())) ||
    ((await mentions(inputSource(context, file).bytes, profileField)) && (await namesAccounts(rows(), true)) === true)
  )
}

/** Whether a text has a word anywhere, in one byte or two for each letter. */
async function mentions(bytes: AsyncIterable<Uint8Array>, word: string): Promise<boolean> {
  const wide = [...word].join('\0')
  let end = ''
  for await (const piece of bytes) {
    const text = end + Buffer.from(piece).toString('latin1')
    if (text.includes(word) || text.includes(wide)) return true
    end = text.slice(-wide.length)
  }
  return false
}

/** How much of standard input is looked at. */
const beginningBytes = 262_144

/** Looks at the beginning of standard input, which stays to be read, also if all of it was looked at. */
async function inputBegins(
  { context }: Session,
  isByRows: (bytes: AsyncIterable<Uint8Array>) => Promise<boolean | undefined>,
): Promise<boolean> {
  const { stdin } = context
  if (stdin.isTTY) return false
  const seen: Buffer[] = []
  let found: boolean | undefined
  while (found === undefined && seen.reduce((sum, { length }) => sum + length, 0) < beginningBytes) {
    const piece: unknown = stdin.read()
    if (piece === null) {
      if (stdin.readableEnded || !(await isReadable(stdin))) break
      continue
    }
    seen.push(Buffer.from(piece as Uint8Array))
    found = await isByRows(pieces(seen))
  }
  if (seen.length > 0) giveBack(context, seen)
  return found === true
}

/** Puts what was read in front of the rest. A stream that has ended takes nothing back: another one stands in for it. */
function giveBack(context: ProcessContext, seen: readonly Buffer[]): void {
  const { stdin } = context
  const whole = async function* () {
    yield* seen
    if (!stdin.readableEnded) yield* stdin
  }
  const value = Readable.from(whole(), { objectMode: false })
  Object.defineProperty(context, 'stdin', { value, configurable: true, enumerable: true })
}

/** Waits for more of a stream; `false` at its end. */
function isReadable(stream: NodeJS.ReadableStream): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const settle = (isMore: boolean) => {
      stream.off('readable', onMore).off('end', onEnd).off('error', reject)
      resolve(isMore)
    }
    const onMore = () => settle(true)
    const onEnd = () => settle(false)
    stream.once('readable', onMore).once('end', onEnd).once('error', reject)
  })
}

/** Limits and repairs that are one account's, and cannot be split among several. */
function refuseFlags(flags: RowCommand['flags']): void {
  const why: Partial<Record<string, string>> = {
    'max-total': 'limits one account, and the rows of this file belong to several.',
    'accept-results': 'is for the results of one account, and the rows of this file belong to several.',
  }
  for (const [flag, text] of Object.entries(why))
    if (flags[flag as 'max-total']) throw new UsageError(`--${flag} ${text}`, { hint: 'Nothing was sent.' })
  if (flags.rejects !== undefined && flags.results !== undefined && areShared(flags.results))
    throw new UsageError('--rejects of several accounts needs their results in a file.', {
      hint: 'Leave --rejects out; dlv deliveries results -P NAME --rejects FILE writes those of one account.',
    })
}

/** The accounts of all rows, in the order in which they come; each can be used. */
async function accountsOf(session: Session, rows: Rows, { flags, isReading }: RowCommand): Promise<string[]> {
  const file = readProfiles(session.config.configDir)
  const first = new Map<string, InputRow>()
  for await (const batch of rows)
    for (const row of batch) {
      const named = 'value' in row ? profileOf(row) || session.flags.profile : undefined
      if (named === undefined) {
        if (!('value' in row)) continue
        throw new UsageError(`${placeOf(row)}: no profile is named. Nothing was sent.`, {
          hint: 'Give each row its profile, or choose one for the others with -P NAME.',
        })
      }
      if (first.has(named)) continue
      first.set(named, row)
      if (named !== 'local' && profileNamed(file, named) === undefined)
        throw new UsageError(`${placeOf(row)}: no profile "${named.slice(0, 80)}". Nothing was sent.`, {
          hint: `Profiles: ${Object.keys(file.profiles).sort().join(', ')}`,
        })
    }
  for (const [profile, row] of first) {
    const one = accountSession(session, profile)
    try {
      const { environment } = await one.account.settings()
      if (environment === 'production' && !isReading && !flags.yes && !flags['dry-run'])
        throw new UsageError(`${placeOf(row)}: "${profile}" is a production account. Nothing was sent.`, {
          hint: '--dry-run shows what the rows would do; --yes sends them.',
        })
    } finally {
      await one.close()
    }
  }
  return [...first.keys()]
}

function placeOf({ row, line, sheet }: InputRow): string {
  const at = line === undefined ? '' : ` (${sheet === undefined ? '' : `sheet ${sheet}, `}line ${line})`
  return `Row ${row}${at}`
}

async function runAll(
  session: Session,
  profiles: readonly string[],
  { file, flags, isReading, schema }: RowCommand,
  { input, reading }: { input: readonly Buffer[]; reading: Parameters<typeof writtenAs>[0] },
): Promise<void> {
  const { context, output, notices } = session
  const own = profiles.find((name) => name === session.flags.profile) ?? profiles[0]
  const beside = defaultResultsFile(file, session.config.dataDir, session.nowMs())
  const operation =
    schema === DeliveryCreate ? 'createDelivery' : schema === UpdateRow ? 'updateDelivery' : 'cancelDelivery'
  const results = flags.results ?? (file === '-' ? beside : resultsBeside(context, beside, operation))
  const rejects =
    flags.rejects === undefined
      ? undefined
      : { source: file, results, rejects: flags.rejects, overwrite: flags.overwrite, others: [flags['map-file']] }
  if (rejects !== undefined) assertRejectable(context, rejects)
  const signal = session.takeSignals()
  const record = new AccountsRecord(profiles.length)
  const words = wordsForOne(session.words, isReading ? undefined : results)
  const printed = new RowPrinter(output)
  const codes = await Promise.all(
    profiles.map((profile) => {
      const accountRows: AccountRows = { profile, takesOthers: profile === own, record }
      const gathering = { take: (view, shown) => printed.take(profile, view, shown) } satisfies Gathered
      return runOne(context, { profile, words, signal, input, gathering, accountRows })
    }),
  ).finally(() => record.close())
  await printed.end()
  if (rejects !== undefined)
    await writeRejects(session, {
      ...rejects,
      ...writtenAs(reading),
      again: commandAgain(session.words, rejects.rejects),
    })
  if (!areShared(results) && existsSync(pathOf(context, results))) notices.notice(`Results: ${results}`)
  const gravest = gravestOf(codes)
  if (gravest !== undefined) context.exitCode ??= gravest
}

/** The command line of one account: without what chose accounts, and with the results that all share. */
function wordsForOne(typed: readonly string[], results: string | undefined): string[] {
  const { words } = accountWords(typed)
  const kept: string[] = []
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    if (word === '--rejects' || (word === '--results' && results !== undefined)) at++
    else if (!/^--(?:rejects=|overwrite$)/.test(word) && !(results !== undefined && word.startsWith('--results=')))
      kept.push(word)
  }
  return results === undefined ? kept : [...kept, `--results=${results}`]
}

/** Prints the rows of all accounts as they come. */
class RowPrinter {
  readonly #rows = new BufferedAsyncQueue<Record<string, unknown>>(heldRows)
  #printing: Promise<void> | undefined

  constructor(private readonly output: Session['output']) {}

  async take(profile: string, view: View<unknown>, shown: unknown): Promise<void> {
    const { card: _, rows: __, ...table } = view as View<Record<string, unknown>[]>
    this.#printing ??= this.output.pages(withProfileColumn(table), this.#rows)
    for (const row of Array.isArray(shown) ? shown : [shown]) await this.#rows.push(withProfile(profile, row))
  }

  async end(): Promise<void> {
    this.#rows.end()
    await this.#printing
  }
}
