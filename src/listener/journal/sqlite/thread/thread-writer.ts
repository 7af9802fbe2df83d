import type { GroupOutcome, GroupWriter } from '../writes.js'
import { type FromThread, packGroup, type ThreadSetup, type ToThread, unpackOutcome } from './messages.js'

/** A thread that writes a journal. */
export interface ThreadWriter extends GroupWriter {
  /** Resolves once the thread has let go of the file. */
  close(): Promise<void>
}

/**
 * A group leaves before the event loop has read all requests that have come, so that the disk syncs the first of them while the
 * others are verified. Of more groups at once the thread would only have a queue, and smaller ones cost more syncs.
 */
const enough = 16
const groupsAhead = 4

/** Starts a thread that writes a journal; resolves once it can, with `undefined` where there can be none. */
export async function startThreadWriter(setup: ThreadSetup): Promise<ThreadWriter | undefined> {
  try {
    return await start(setup)
  } catch {
    // A bundler may have left the thread's source out, or Node has been told to allow no threads.
    return undefined
  }
}

async function start(workerData: ThreadSetup): Promise<ThreadWriter> {
  const [{ Worker }, { threadSource }] = await Promise.all([
    import('node:worker_threads'),
    import('./thread-source.generated.js'),
  ])
  // The source itself, because a standalone program has no file; and no environment variables.
  const worker = new Worker(threadSource, {
    eval: true,
    name: 'journal',
    argv: [],
    execArgv: ['--disable-warning=ExperimentalWarning'],
    env: {},
    resourceLimits: { maxYoungGenerationSizeMb: 16 },
    workerData,
  })
  const underWay: ((outcome: GroupOutcome) => void)[] = []
  const settle = (outcome: GroupOutcome) => {
    const settled = underWay.shift()
    // An idle thread keeps no process from ending.
    if (underWay.length === 0) worker.unref()
    settled?.(outcome)
  }
  const post = (message: ToThread, moved: ArrayBuffer[] = []) => worker.postMessage(message, moved)
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  await new Promise<void>((resolve, reject) => {
    worker.once('error', reject)
    worker.once('exit', () => reject(new Error('the thread ended')))
    worker.once('message', () => resolve())
  })
  worker.removeAllListeners('error').unref()
  let failure: Error | undefined
  const fail = (error: Error) => {
    failure ??= error
    while (underWay.length > 0) settle({ error: failure })
  }
  worker.on('error', fail)
  worker.on('exit', () => fail(new Error('the thread that writes it has ended')))
  worker.on('message', (message: Exclude<FromThread, 'ready'>) => settle(unpackOutcome(message)))
  return {
    takes: (size, isTurnOver) => underWay.length < groupsAhead && (isTurnOver || size >= enough),
    write(group, settled) {
      if (failure !== undefined) return settled({ error: failure })
      if (underWay.length === 0) worker.ref()
      underWay.push(settled)
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
