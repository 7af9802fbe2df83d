import type { Worker } from 'node:worker_threads'
import type { GroupOutcome, GroupWriter, Settle } from '../writes.js'
import { type FromThread, packGroup, type ThreadSetup, type ToThread, unpackOutcome } from './messages.js'

/**
 * A group of this size does not wait until all requests that have come are read: the disk syncs it while they are verified.
 * Smaller ones would cost more than they bring.
 */
const enough = 16

/** Starts a thread that writes a journal; resolves once it can, with `undefined` where there can be none. */
export async function startThreadWriter(setup: ThreadSetup, settle: Settle): Promise<GroupWriter | undefined> {
  try {
    return await start(setup, settle)
  } catch {
    // A bundler may have left the thread's source out, or Node has been told to allow no threads.
    return undefined
  }
}

async function start(workerData: ThreadSetup, settle: Settle): Promise<GroupWriter> {
  const { threadSource } = await import('./thread-source.generated.js')
  const worker = await startThread(threadSource, 'journal', workerData)
  const post = (message: ToThread, moved: ArrayBuffer[] = []) => worker.postMessage(message, moved)
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  let underWay = 0
  let failure: { error: Error } | undefined
  const settled = (outcome: GroupOutcome) => {
    underWay -= 'error' in outcome ? outcome.failed : outcome.appended.length
    // An idle thread keeps no process from ending.
    if (underWay === 0) worker.unref()
    settle(outcome)
  }
  const fail = (error: Error) => {
    failure ??= { error }
    if (underWay > 0) settled({ ...failure, failed: underWay })
  }
  worker.on('error', fail)
  worker.on('exit', () => fail(new Error('the thread that writes it has ended')))
  worker.on('message', (message: Exclude<FromThread, 'ready'>) => settled(unpackOutcome(message)))
  return {
    takes: (size, isTurnOver) => isTurnOver || size >= enough,
    write(group) {
      if (failure !== undefined) return settle({ ...failure, failed: group.length })
      if (underWay === 0) worker.ref()
      underWay += group.length
      const packed = packGroup(group)
      post(packed, [packed.bodies.buffer])
    },
    async close() {
      if (failure !== undefined) return
      worker.ref()
      post('close')
      await ended
    },
  }
}

/**
 * Starts a thread; resolves once it has sent its first message, which says that it is ready. It keeps no process from
 * ending until it is given a `ref`.
 *
 * @param source the program itself, because a standalone program has no file; it gets no environment variables
 * @throws what the thread failed with, or that Node has been told to allow none
 */
async function startThread(source: string, name: string, workerData: unknown): Promise<Worker> {
  // A standalone program cannot import Node's modules on demand.
  const { Worker } = process.getBuiltinModule('node:worker_threads')
  const worker = new Worker(source, {
    eval: true,
    name,
    argv: [],
    execArgv: ['--disable-warning=ExperimentalWarning'],
    env: {},
    resourceLimits: { maxYoungGenerationSizeMb: 16 },
    workerData,
  })
  const ready = Promise.withResolvers<void>()
  const endedEarly = () => ready.reject(new Error('the thread ended'))
  worker.once('message', ready.resolve).once('error', ready.reject).once('exit', endedEarly)
  await ready.promise
  worker.off('error', ready.reject).off('exit', endedEarly).unref()
  return worker
}
