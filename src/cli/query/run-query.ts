import { spawn } from 'node:child_process'
import { accessSync } from 'node:fs'
import { join } from 'node:path'
import { isSea } from 'node:sea'
import type { ArchiveQuery } from '../../archive/index.js'
import { UsageError } from '../../contract/index.js'
import { incompleteFile } from '../process/whole-files.js'
import { outOfMemory, type Reply, type Request } from './protocol.js'

/** The word that makes a standalone program run a query, see scripts/package/executable-main.cjs. */
const queryWord = '__query'

/** The columns of a query, and its rows in pages as they are read. */
export interface RunningQuery {
  columns: readonly string[]
  pages: AsyncIterable<unknown[][]>
}

/**
 * Runs a query of the user in a process of its own, which ends with the signal, with its last page, and when its pages are
 * no longer read.
 *
 * @throws UsageError with SQLite's message, and the reason of the signal
 */
export async function startQuery(query: ArchiveQuery, signal: AbortSignal): Promise<RunningQuery> {
  signal.throwIfAborted()
  const file = join(import.meta.dirname, '..', 'query-child.cjs')
  if (!isSea()) {
    accessSync(file)
    // Node would show the child's stack.
    const incomplete = incompleteFile('query-child.cjs')
    if (incomplete !== undefined) throw incomplete
  }
  const words = isSea() ? [queryWord] : [file]
  // A thread watches the child, which inherits the flags.
  if (process.permission?.has('worker') === false)
    throw Object.assign(new Error('A query needs --allow-worker'), { code: 'ERR_ACCESS_DENIED' })
  const child = spawn(process.execPath, words, {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    serialization: 'advanced',
    env: { NODE_NO_WARNINGS: '1' },
  })
  const replies: Reply[] = []
  let wake = () => {}
  let failure: Error | undefined
  const fail = (error: Error) => {
    failure ??= error
    child.kill('SIGKILL')
    wake()
  }
  const interrupted = () => fail(signal.reason)
  signal.addEventListener('abort', interrupted, { once: true })
  child.on('message', (reply: Reply) => {
    replies.push(reply)
    wake()
  })
  child.once('error', fail)
  child.once('exit', (code, killed) => {
    const ended = () =>
      fail(
        killed === outOfMemory
          ? new UsageError('The result is too big: the query took more than 1 GiB of memory.', {
              hint: 'Select fewer columns, or shorter values.',
            })
          : new Error(`the process of the query ended early (${killed ?? code})`),
      )
    // What it sent before is read first.
    if (child.connected) child.once('disconnect', ended)
    else setImmediate(ended)
  })
  const end = () => {
    signal.removeEventListener('abort', interrupted)
    child.removeAllListeners()
    child.once('error', () => {})
    child.kill('SIGKILL')
    if (child.connected) child.disconnect()
  }
  const tell = (request: Request) => child.send(request, () => {})
  const next = async (): Promise<Reply> => {
    for (;;) {
      const reply = replies.shift()
      if (reply !== undefined && !('failed' in reply)) return reply
      if (reply !== undefined) throw failed(reply.failed)
      if (failure !== undefined) throw failure
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }
  tell({ ...query, ownerPid: process.pid })
  try {
    const first = await next()
    return { columns: 'columns' in first ? first.columns : [], pages: pagesOf(next, () => tell('next'), end) }
  } catch (error) {
    end()
    throw error
  }
}

async function* pagesOf(next: () => Promise<Reply>, printed: () => void, end: () => void): AsyncGenerator<unknown[][]> {
  try {
    for (;;) {
      const reply = await next()
      if (!('rows' in reply)) return
      yield reply.rows
      printed()
    }
  } finally {
    end()
  }
}

/** The first rows of a query. The last of them is the one with which the values exceed the characters. */
export async function* limited(
  pages: AsyncIterable<unknown[][]>,
  rows = Number.POSITIVE_INFINITY,
  characters = Number.POSITIVE_INFINITY,
): AsyncGenerator<unknown[][]> {
  let [rowsLeft, charactersLeft] = [rows, characters]
  for await (const page of pages) {
    const first = page.slice(0, rowsLeft)
    const end = first.findIndex((row) => {
      charactersLeft -= row.reduce<number>((sum, value) => sum + String(value).length, 0)
      return charactersLeft < 0
    })
    yield end === -1 ? first : first.slice(0, end + 1)
    rowsLeft -= first.length
    if (end !== -1 || rowsLeft <= 0) return
  }
}

function failed({ message, hint, isUsage }: Extract<Reply, { failed: unknown }>['failed']): Error {
  return isUsage ? new UsageError(message, { hint }) : new Error(message)
}
