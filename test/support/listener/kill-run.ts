import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { readJournal } from '../../../src/listener/index.js'
import { newSecret } from '../../../src/webhooks/index.js'
import { startHttpServer } from '../http-server.js'
import { createTempDir } from '../temp-dir.js'
import { postEvent, testEvent } from './test-listener.js'

/** Node runs it as it is: its types are stripped. */
const program = fileURLToPath(new URL('./killed-listener.ts', import.meta.url))

interface KillRunReport {
  acknowledged: number
  kills: number
  /** Acknowledged events that the journal does not hold. */
  lost: string[]
  /** Events that arrived at the target after their success had been recorded. */
  forwardedAgain: string[]
  /** Events that never arrived at the target although the run ended in peace. */
  neverForwarded: string[]
  /** What SQLite says of the file. */
  integrity: string
}

/**
 * Posts events to a listener in a process of its own, kills that process again and again at random, and looks at what
 * is left.
 */
export async function killRun(options: {
  events: number
  kills: number
  random: () => number
}): Promise<KillRunReport> {
  const directory = createTempDir()
  const journalFile = join(directory, 'journal.db')
  const secret = newSecret()
  const recorded = new Set<string>()
  const forwardedAgain: string[] = []
  const arrived = new Set<string>()
  const target = await startHttpServer((request, response) => {
    const id = String(request.headers['webhook-id'])
    // A kill between the answer and the record is the one moment in which a second delivery is right.
    if (recorded.has(id)) forwardedAgain.push(id)
    arrived.add(id)
    request.resume()
    response.end()
  })
  const targetUrl = `${target}/`

  const start = async () => {
    const child = spawn(process.execPath, ['--no-warnings', program, journalFile, secret, targetUrl], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const lines = createInterface({ input: child.stdout })
    const url = await new Promise<string>((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`the listener ended with ${code}`)))
      lines.on('line', (line) => {
        const [word, value = ''] = line.split(' ')
        if (word === 'delivered') recorded.add(value)
        else resolve(value)
      })
    })
    return { child, url }
  }

  let running = await start()
  const acknowledged: string[] = []
  const waiting = Array.from({ length: options.events }, (_, index) => testEvent(`del_${index % 40}`))
  const senders = Array.from({ length: 16 }, async () => {
    for (let event = waiting.shift(); event !== undefined; event = waiting.shift()) {
      while ((await postEvent(running.url, secret, event)) !== 200)
        await new Promise((resolve) => setTimeout(resolve, 5))
      acknowledged.push(event.id)
    }
  })
  const step = options.events / (options.kills + 1)
  for (let kill = 1; kill <= options.kills; kill++) {
    const threshold = Math.floor(step * (kill - 1 + options.random()))
    while (acknowledged.length < threshold) await new Promise((resolve) => setImmediate(resolve))
    await killed(running.child)
    running = await start()
  }
  await Promise.all(senders)
  const deadline = Date.now() + 20_000
  while (arrived.size < options.events && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 10))
  await killed(running.child)

  const journal = await readJournal(journalFile)
  const known = await journal.has(acknowledged)
  const lost = acknowledged.filter((id) => !known.has(id))
  await journal.close()
  const database = new DatabaseSync(journalFile)
  const integrity = String(database.prepare('PRAGMA integrity_check').get()?.integrity_check)
  database.close()
  const neverForwarded = acknowledged.filter((id) => !arrived.has(id))
  return { acknowledged: acknowledged.length, kills: options.kills, lost, forwardedAgain, neverForwarded, integrity }
}

async function killed(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}
