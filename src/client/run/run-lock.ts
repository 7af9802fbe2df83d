import { hash, randomUUID } from 'node:crypto'
import { link, readFile, unlink, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
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
    const holder = await hold(lockFile, draft)
    if (holder !== undefined) throw heldBy(resultsFile, lockFile, holder)
  } finally {
    await unlink(draft)
  }
  return { release: () => unlink(lockFile).catch(ignoreMissing) }
}

/**
 * Takes a name that one process at a time may have. Who finds it with a process that is gone removes it, but only while
 * holding the name of that very claim: else two could each remove the other's new claim, taking it for the dead one.
 *
 * @returns who has the name instead
 */
async function hold(path: string, draft: string): Promise<Holder | undefined> {
  for (;;) {
    if (await claim(draft, path)) return undefined
    const text = await readIfThere(path)
    if (text === undefined) continue
    const holder = parseHolder(text)
    if (holder !== undefined && (await isAlive(holder))) return holder
    const grave = `${path}.${hash('sha256', text, 'hex').slice(0, 12)}`
    if ((await hold(grave, draft)) !== undefined) {
      await wait(5)
      continue
    }
    try {
      if ((await readIfThere(path)) === text) await unlink(path).catch(ignoreMissing)
    } finally {
      await unlink(grave)
    }
  }
}

/** Links the draft to the name, which fails where the name is taken: there is no moment in between. */
async function claim(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
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

async function isAlive(holder: Holder): Promise<boolean> {
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

function heldBy(resultsFile: string, lockFile: string, holder: Holder): UsageError {
  return new UsageError(`Another run is writing ${resultsFile} (process ${holder.pid} on ${holder.host})`, {
    hint: `Wait for it to end. If it is certain that none is running, remove ${lockFile}.`,
  })
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

function ignoreMissing(error: unknown): void {
  if (codeOf(error) !== 'ENOENT') throw error
}
