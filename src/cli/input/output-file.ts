import { randomUUID } from 'node:crypto'
import { closeSync, fstatSync, lstatSync, openSync, readSync, renameSync, rmSync, type Stats, statSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Flags } from '@oclif/core'
import { UsageError } from '../../contract/index.js'
import { foldersOf } from '../../shared/user-dirs.js'
import type { ProcessContext } from '../process/context.js'
import { namesIn, pathOf, unwritable } from './read.js'

/** A file that the user named, to be written as a whole. */
export interface OutputFile {
  name: string
  /** The flag that named it, for errors. */
  flag: string
  kind: OutputKind
  /** Replaces a regular file of any content. */
  overwrite?: boolean | undefined
  /** Files that the command reads: none of them is written over, under any name. */
  inputs?: readonly (string | undefined)[]
}

/** A kind of file that dlv writes. */
interface OutputKind {
  /** For errors, such as `a report of dlv report`. */
  noun: string
  /** Matches the beginning of such a file. */
  head: RegExp
}

export const outputKinds = {
  junit: {
    noun: 'a JUnit report of dlv',
    head: /^<\?xml [^>]*>\s*<testsuites[^>]*>\s*<testsuite name="(?:scenario |contract drift|webhook receiver )/,
  },
  html: { noun: 'a page of dlv report', head: /<meta name="generator" content="dlv report">/ },
  rejects: { noun: 'a file of rejected rows', head: /^[^\n]*\brejectedReason\b/ },
  baseline: { noun: 'a baseline of dlv drift', head: /^\s*\{\s*"findings":/ },
} satisfies Record<string, OutputKind>

export const overwriteFlag = {
  overwrite: Flags.boolean({ summary: 'Replace an output file that dlv did not write' }),
}

/** Enough of a file to tell its kind: the first line of a sheet with many columns. */
const headBytes = 65_536

/**
 * Checks before anything is sent that a file can be written, and destroys nothing.
 *
 * @throws UsageError for a link, for what is not a regular file, for a file that the command reads, and for one that
 *   dlv did not write
 */
export function checkOutput(context: ProcessContext, output: OutputFile): void {
  refuseOthers(context, output)
  const draft = draftOf(context, output)
  try {
    closeSync(openSync(draft, 'wx', 0o600))
  } catch (cause) {
    throw unwritable(context, output.name, output.flag, cause)
  } finally {
    rmSync(draft, { force: true })
  }
}

/**
 * Writes a file new, beside, and then gives it its name: whoever reads it sees the old text or the new one, and other
 * names of the old one keep it.
 *
 * @throws UsageError as `checkOutput` does: the file may have changed since
 */
export async function writeOutput(
  context: ProcessContext,
  output: OutputFile,
  content: string | AsyncIterable<string>,
): Promise<void> {
  refuseOthers(context, output)
  const path = pathOf(context, output.name)
  const draft = draftOf(context, output)
  let file: FileHandle | undefined
  try {
    file = await open(draft, 'wx', modeOf(path))
    if (typeof content === 'string') await file.writeFile(content)
    else for await (const piece of content) await file.writeFile(piece)
    await file.sync()
    await file.close()
    renameSync(draft, path)
  } catch (cause) {
    await file?.close().catch(() => undefined)
    rmSync(draft, { force: true })
    if (!(cause instanceof Error && 'syscall' in cause)) throw cause
    throw unwritable(context, output.name, output.flag, cause)
  }
}

/** A name beside the file under which nobody can have planted a link. */
function draftOf(context: ProcessContext, { name }: OutputFile): string {
  return `${pathOf(context, name)}.${randomUUID().slice(0, 8)}.tmp`
}

/** A file keeps its mode; a new one is for its owner. */
function modeOf(path: string): number {
  return (lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0o600) & 0o777
}

function refuseOthers(context: ProcessContext, output: OutputFile): void {
  const { name, flag, kind, inputs = [] } = output
  const path = pathOf(context, name)
  const there = statsOf(context, output, path)
  if (there === undefined) return
  const read = [...inputs, ...pathsRead(context, flag), ...variableFiles(context)].find(
    (input) => input !== undefined && isSame(path, pathOf(context, input)),
  )
  if (read !== undefined)
    throw new UsageError(`${flag}: ${name} is ${read === inputs[0] ? 'the input itself' : `${read}, which is read`}.`, {
      hint: 'Nothing was written. Name another file.',
    })
  if (there.isSymbolicLink())
    throw new UsageError(`${flag}: ${name} is a symbolic link; files are not written through one.`, {
      hint: 'Name the file that it leads to, or another one.',
    })
  if (there.isDirectory())
    throw unwritable(context, name, flag, Object.assign(new Error('is a directory'), { code: 'EISDIR' }))
  if (!there.isFile()) throw new UsageError(`${flag}: ${name} is not a regular file.`, { hint: 'Name a new file.' })
  if (there.size === 0 || kind.head.test(headOf(context, output, path))) return
  if (isOwnFile(context, path))
    throw new UsageError(`${flag}: ${name} is a file that dlv keeps for itself.`, {
      hint: 'It is left as it is, also with --overwrite. Name another file.',
    })
  if (output.overwrite !== true)
    throw new UsageError(`${flag}: ${name} exists and is not ${kind.noun}.`, {
      hint: 'It is left as it is. Name another file, or replace it with --overwrite.',
    })
}

/** The files that the command has read so far, but for that of a flag. */
function pathsRead({ filesRead = new Map() }: ProcessContext, exceptFlag: string): string[] {
  return [...filesRead].flatMap(([path, flag]) => (flag === exceptFlag ? [] : path))
}

/** Files that variables name: passwords, certificates, the journal. */
const fileVariables = ['PGPASSFILE', 'PGSSLROOTCERT', 'PGSSLCERT', 'PGSSLKEY', 'DLV_JOURNAL']

function variableFiles({ env }: ProcessContext): string[] {
  return fileVariables.flatMap((name) => env[name] || [])
}

/** Whether a file is one of this user's profiles, keys, orders or events, or a project's settings, under any name. */
function isOwnFile({ env }: ProcessContext, path: string): boolean {
  const { configDir, dataDir } = foldersOf(env)
  if (basename(path) === '.dlv.json') return true
  return [configDir, dataDir].some((directory) =>
    namesIn(directory).some((name) => isSame(path, join(directory, name))),
  )
}

function statsOf(context: ProcessContext, { name, flag }: OutputFile, path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch (cause) {
    throw unwritable(context, name, flag, cause)
  }
}

/** Whether two paths lead to one file, by whatever links. */
function isSame(one: string, other: string): boolean {
  const [here, there] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false, bigint: true }))
  return here !== undefined && there !== undefined && here.ino === there.ino && here.dev === there.dev
}

function headOf(context: ProcessContext, { name, flag }: OutputFile, path: string): string {
  let descriptor: number | undefined
  try {
    descriptor = openSync(path, 'r')
    const bytes = Buffer.alloc(Math.min(headBytes, fstatSync(descriptor).size))
    return bytes.subarray(0, readSync(descriptor, bytes)).toString()
  } catch (cause) {
    throw unwritable(context, name, flag, cause)
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}
