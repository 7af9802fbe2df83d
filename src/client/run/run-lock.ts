import { randomUUID } from 'node:crypto'
import { link, readFile, rename, unlink, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { UsageError } from '../../contract/index.js'

/** Held while a run writes its results file. */
export interface RunLock {
  release(): Promise<void>
}

interface Holder {
  pid: number
  host: string
  /** Tells this process from another that was given the same number later. */
  startedAt: string
  nonce: string
}

/**
 * Keeps a second run off a results file. A lock whose process is gone, as after a crash, is taken over.
 *
 * @throws UsageError naming the process that holds it
 */
export async function lockRun(resultsFile: string): Promise<RunLock> {
  const lockFile = `${resultsFile}.lock`
  const own: Holder = {
    pid: process.pid,
    host: hostname(),
    startedAt: (await startOf(process.pid)) ?? '',
    nonce: randomUUID(),
  }
  const draft = `${lockFile}.${own.nonce}`
  await writeFile(draft, JSON.stringify(own), { flag: 'wx', mode: 0o600 })
  try {
    for (;;) {
      if (await claim(draft, lockFile)) break
      const held = await readHolder(lockFile)
      if (held === undefined) continue
      if (await isAlive(held.holder)) throw heldBy(resultsFile, lockFile, held.holder)
      await setAside(lockFile, held.text, own.nonce)
    }
  } finally {
    await unlink(draft)
  }
  return { release: () => unlink(lockFile).catch(ignoreMissing) }
}

/** Links the draft to the lock's name, which fails where the name is taken: there is no moment in between. */
async function claim(draft: string, lockFile: string): Promise<boolean> {
  try {
    await link(draft, lockFile)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

async function readHolder(lockFile: string): Promise<{ holder: Holder | undefined; text: string } | undefined> {
  try {
    const text = await readFile(lockFile, 'utf8')
    return { holder: parseHolder(text), text }
  } catch (error) {
    ignoreMissing(error)
    return undefined
  }
}

function parseHolder(text: string): Holder | undefined {
  try {
    return JSON.parse(text) as Holder
  } catch {
    return undefined // a lock that is no lock holds nothing
  }
}

/** Moves a dead lock away; puts it back where another run has renewed it since it was read. */
async function setAside(lockFile: string, text: string, nonce: string): Promise<void> {
  const aside = `${lockFile}.${nonce}.old`
  try {
    await rename(lockFile, aside)
  } catch (error) {
    ignoreMissing(error)
    return
  }
  if ((await readFile(aside, 'utf8')) !== text) await link(aside, lockFile)
  await unlink(aside)
}

async function isAlive(holder: Holder | undefined): Promise<boolean> {
  if (holder === undefined) return false
  // Another machine's processes cannot be seen: its lock counts.
  if (holder.host !== hostname()) return true
  try {
    process.kill(holder.pid, 0)
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
  const startedAt = await startOf(holder.pid)
  return startedAt === undefined || holder.startedAt === '' || startedAt === holder.startedAt
}

/** When a process began, where the system tells: field 22 of Linux's `/proc/<pid>/stat`. */
async function startOf(pid: number): Promise<string | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined // other systems: the process number has to do
  }
}

function heldBy(resultsFile: string, lockFile: string, holder: Holder | undefined): UsageError {
  return new UsageError(`Another run is writing ${resultsFile} (process ${holder?.pid} on ${holder?.host})`, {
    hint: `Wait for it to end. If it is certain that none is running, remove ${lockFile}.`,
  })
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

function ignoreMissing(error: unknown): void {
  if (codeOf(error) !== 'ENOENT') throw error
}
