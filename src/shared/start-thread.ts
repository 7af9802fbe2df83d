import type { Worker } from 'node:worker_threads'

/**
 * Starts a thread; resolves once it has sent its first message, which says that it is ready. It keeps no process from
 * ending until it is given a `ref`.
 *
 * @param source the program itself, because a standalone program has no file; it gets no environment variables
 * @throws what the thread failed with, or that Node has been told to allow none
 */
export async function startThread(source: string, name: string, workerData: unknown): Promise<Worker> {
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
