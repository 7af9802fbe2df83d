import { hash, randomUUID } from 'node:crypto'
import { type FileHandle, link, open, readFile, unlink, writeFile } from 'node:fs/promises'
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

/** What a process claims a lock with. */
interface Claim {
  /** The holder, as the lock is to say. */
  text: string
  /** A file that says so already. */
  draft: string
}

/**
 * Keeps a second run off a results file. A lock whose process is gone, as after a crash, is taken over.
 *
 * Where the file system has hard links, a lock says from its first moment whose it is. Where it has none, as FAT and
 * some shares on a network, it is created and then written: a process that finds it in between gives it a second, and
 * removes it if it still says nothing. What is weaker there: a process that is halted in between for longer than that,
 * and goes on at the very moment of the removal, may take the lock for its own beside the one that comes after.
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
  const claim = { text: JSON.stringify(own), draft: `${lockFile}.${own.nonce}` }
  await writeFile(claim.draft, claim.text, { flag: 'wx', mode: 0o600 })
  try {
    const holder = await hold(lockFile, claim)
    if (holder !== undefined) throw heldBy(resultsFile, lockFile, holder)
  } finally {
    await unlink(claim.draft)
  }
  return { release: () => unlink(lockFile).catch(ignoreMissing) }
}

/**
 * Takes a name that one process at a time may have. Who finds it with a process that is gone removes it, but only while
 * holding the name of that very claim: else two could each remove the other's new claim, taking it for the dead one.
 *
 * @returns who has the name instead
 */
async function hold(path: string, claim: Claim): Promise<Holder | undefined> {
  for (;;) {
    if (await take(path, claim)) return undefined
    const text = await readWhole(path)
    if (text === undefined) continue
    const holder = parseHolder(text)
    if (holder !== undefined && (await isAlive(holder))) return holder
    const grave = `${path}.${hash('sha256', text, 'hex').slice(0, 12)}`
    if ((await hold(grave, claim)) !== undefined) {
      await wait(5)
      continue
    }
    try {
      if ((await readWhole(path)) === text) await unlink(path).catch(ignoreMissing)
    } finally {
      await unlink(grave)
    }
  }
}

/** Links the draft to the name, which fails where the name is taken: there is no moment in between. */
async function take(path: string, claim: Claim): Promise<boolean> {
  try {
    await link(claim.draft, path)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    // Systems disagree on how they say that there are no hard links. What else may be wrong, creating a file says, too.
    return create(path, claim.text)
  }
}

/** Takes a name by creating it. */
async function create(path: string, text: string): Promise<boolean> {
  let file: FileHandle
  try {
    file = await open(path, 'wx', 0o600)
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
  try {
    await file.writeFile(text)
  } catch (error) {
    await unlink(path)
    throw error
  } finally {
    await file.close()
  }
  return (await readIfThere(path)) === text
}

/** How often, and how many milliseconds apart, a lock is looked at that does not say whose it is. */
const looks = { count: 50, everyMs: 20 }

/** What a lock says; one that is being written is given a moment. */
async function readWhole(path: string): Promise<string | undefined> {
  for (let look = 1; ; look++) {
    const text = await readIfThere(path)
    if (text === undefined || parseHolder(text) !== undefined || look === looks.count) return text
    await wait(looks.everyMs)
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
