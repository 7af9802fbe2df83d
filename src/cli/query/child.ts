/** Runs one query in a process of its own, because SQLite's work can be ended in no other way. */
import { Worker } from 'node:worker_threads'
import { type ArchiveQuery, runQuery } from '../../archive/index.js'
import { UsageError } from '../../shared/dlv-error.js'
import { memoryMax, outOfMemory, pagesAhead, type Reply, type Request } from './protocol.js'

const rowsMax = 500
const charactersMax = 262_144

/**
 * Ends this process with the program that started it, also while SQLite is at work, or if that had ended before; and when
 * it takes too much memory: SQLite limits the size of one value, and a statement can make thousands.
 */
const watchdog = `
  const { workerData: { ownerPid, memoryMax, outOfMemory } } = require('node:worker_threads')
  setInterval(() => { if (process.ppid !== ownerPid) process.kill(process.pid, 'SIGKILL') }, 500)
  // Where there is no /proc, nobody can tell.
  const used = () => { try { return process.memoryUsage.rss() } catch { return 0 } }
  setInterval(() => { if (used() > memoryMax) process.kill(process.pid, outOfMemory) }, 50)`

const send = (reply: Reply) => new Promise<void>((resolve) => process.send?.(reply, undefined, {}, () => resolve()))

let ahead = 0
let printed = () => {}

async function sendPage(rows: unknown[][]): Promise<void> {
  await send({ rows })
  if (++ahead < pagesAhead) return
  await new Promise<void>((resolve) => {
    printed = resolve
  })
}

async function run(query: ArchiveQuery): Promise<void> {
  const { columns, rows } = runQuery(query)
  await send({ columns })
  let page: unknown[][] = []
  let characters = 0
  for (const row of rows) {
    page.push(row)
    for (const value of row) characters += typeof value === 'string' ? value.length : 8
    if (page.length < rowsMax && characters < charactersMax) continue
    await sendPage(page)
    page = []
    characters = 0
  }
  if (page.length > 0) await send({ rows: page })
}

process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
process.on('message', (request: Request) => {
  if (request === 'next') {
    ahead--
    printed()
    return
  }
  new Worker(watchdog, {
    eval: true,
    env: {},
    workerData: { ownerPid: request.ownerPid, memoryMax, outOfMemory },
  }).unref()
  void run(request)
    .then(
      () => send({ ended: true }),
      (error: Error) => {
        const isUsage = error instanceof UsageError
        const { message, hint } = error as UsageError
        return send({ failed: { message: isUsage ? message : String(error.stack), hint, isUsage } })
      },
    )
    .then(() => process.disconnect?.())
})
