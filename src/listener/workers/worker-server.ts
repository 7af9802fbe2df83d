import type { ChildProcess } from 'node:child_process'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { UsageError } from '../../contract/index.js'
import { tryParseJson } from '../../shared/json.js'
import type { Acceptance } from '../../webhooks/index.js'
import type { RejectionReport } from '../http/rejections.js'
import { type Address, type ListenerServer, listen } from '../http/server.js'
import type { Arrival } from '../intake.js'
import type { Appended } from '../journal/event.js'
import type { DescribedArrival, FromWorker, NumberedOutcome, ToWorker, WorkerSetup } from './messages.js'

export interface WorkerServerOptions extends Address {
  count: number
  /** Starts a process that runs `serveListenerWorker`. */
  launch(): ChildProcess
  setup: WorkerSetup
  /** Keeps an event; resolves once it is on disk. */
  ingest(arrival: Arrival): Promise<Pick<Appended, 'outcome'>>
  /** Proves that the journal can be written. */
  probe(): Promise<void>
  report(rejection: RejectionReport, count: number): void
  isBehind(): boolean
  /** Told of a worker that ended and was replaced. */
  onWarning(text: string): void
  /** Called once if workers end faster than it makes sense to replace them. */
  onFailure(failure: UsageError): void
}

interface Worker {
  child: ChildProcess
  isReady: boolean
  settled: NumberedOutcome[]
}

/** So many workers that end by themselves within this time are too many. */
const endingsMax = 10
const endingsWithinMs = 10_000
/** How often it is asked whether whoever reads the records has caught up. */
const behindEveryMs = 100
/** How long after the time for draining a worker that still runs is killed. */
const killedAfterMs = 1_000

/**
 * Accepts connections and hands them in turn to processes that read and verify the requests. Only this process
 * writes the journal: what workers have verified arrives in batches, and so do the acknowledgements. A worker that ends is
 * replaced; what it had not acknowledged, its senders send again.
 *
 * @throws UsageError if the port is not available, or no worker can be started
 */
export async function workerServer(options: WorkerServerOptions): Promise<ListenerServer> {
  const workers = new Set<Worker>()
  const endings: number[] = []
  let waiting: Socket[] = []
  let turn = 0
  let hasStarted = false
  let isClosing = false
  let failure: UsageError | undefined
  let onStarted = () => {}
  let onGone = () => {}

  const server = createServer({ pauseOnConnect: true, noDelay: true }, (socket) => {
    // It may fail until a worker has it.
    socket.on('error', () => {})
    offer(socket)
  })

  function offer(socket: Socket) {
    const ready = [...workers].filter(({ isReady }) => isReady)
    const worker = ready[turn++ % ready.length]
    if (worker !== undefined) return hand(worker, socket)
    if (waiting.length < options.setup.limits.connections * options.count) waiting.push(socket)
    else socket.destroy()
  }

  function hand({ child }: Worker, socket: Socket) {
    child.send({ kind: 'connection' } satisfies ToWorker, socket, {}, (error) => {
      if (error !== null) socket.destroy()
    })
  }

  function start() {
    const child = options.launch()
    const worker: Worker = { child, isReady: false, settled: [] }
    workers.add(worker)
    child.on('message', (message) => hear(worker, message as FromWorker))
    let hasEnded = false
    const ended = (how: string) => {
      if (hasEnded) return
      hasEnded = true
      workers.delete(worker)
      if (isClosing) onGone()
      else replace(child.pid, how)
    }
    child.once('error', (error) => ended(`failed: ${error.message}`))
    child.once('exit', (code, signal) => ended(signal === null ? `ended with ${code}` : `was killed by ${signal}`))
    tell(worker, { kind: 'setup', setup: options.setup })
  }

  function replace(pid: number | undefined, how: string) {
    if (failure !== undefined) return
    const nowMs = performance.now()
    while (endings[0] !== undefined && endings[0] < nowMs - endingsWithinMs) endings.shift()
    endings.push(nowMs)
    if (!hasStarted) fail(`A worker process ${how} before it was ready.`)
    else if (endings.length >= endingsMax)
      fail(`${endingsMax} worker processes ended within ${endingsWithinMs / 1_000} s; the last ${how}.`)
    else {
      options.onWarning(`The worker process ${pid} ${how}; another one takes its place.`)
      start()
    }
  }

  function fail(text: string) {
    failure = new UsageError(text, { hint: 'Is there memory for so many? Fewer --workers need less.' })
    if (hasStarted) options.onFailure(failure)
    else onStarted()
  }

  function hear(worker: Worker, message: FromWorker) {
    if (message.kind === 'arrivals') take(worker, message.described, message.bodies)
    else if (message.kind === 'probe')
      settleLater(
        worker,
        message.number,
        options.probe().then(() => 'ready'),
      )
    else if (message.kind === 'rejections')
      for (const [rejection, count] of message.rejections) options.report(rejection, count)
    else {
      worker.isReady = true
      if (behind !== undefined) tell(worker, { kind: 'behind', isBehind: true })
      const early = waiting
      waiting = []
      for (const socket of early) offer(socket)
      onStarted()
    }
  }

  function take(worker: Worker, described: string, bodies: Uint8Array) {
    watchReader()
    let at = 0
    for (const arrival of JSON.parse(described) as DescribedArrival[]) {
      const body = bodies.subarray(at, at + arrival.bodyBytes)
      at += arrival.bodyBytes
      const kept = options.ingest({ ...arrivalOf(arrival, body), body }).then(({ outcome }) => outcome)
      settleLater(worker, arrival.number, kept)
    }
  }

  /** Outcomes that come together are told together. */
  function settleLater(worker: Worker, number: number, work: Promise<Appended['outcome'] | 'ready'>) {
    const settle = (outcome: NumberedOutcome[1]) => {
      if (worker.settled.length === 0)
        process.nextTick(() => {
          tell(worker, { kind: 'settled', settled: worker.settled })
          worker.settled = []
        })
      worker.settled.push([number, outcome])
    }
    work.then(settle, (error: unknown) => settle({ error: error instanceof Error ? error.message : String(error) }))
  }

  let behind: NodeJS.Timeout | undefined

  /** Tells the workers when whoever reads the records lags behind, and when not any more. */
  function watchReader() {
    if (behind !== undefined || !options.isBehind()) return
    const tellAll = (isBehind: boolean) => {
      for (const worker of workers) tell(worker, { kind: 'behind', isBehind })
    }
    tellAll(true)
    behind = setInterval(() => {
      if (options.isBehind()) return
      clearInterval(behind)
      behind = undefined
      tellAll(false)
    }, behindEveryMs)
  }

  function allReady(): Promise<void> {
    return new Promise((resolve, reject) => {
      onStarted = () => {
        if (failure !== undefined) reject(failure)
        else if (workers.size === options.count && [...workers].every(({ isReady }) => isReady)) resolve()
      }
      for (let started = 0; started < options.count; started++) start()
    })
  }

  async function close(drainMs: number) {
    isClosing = true
    server.close()
    clearInterval(behind)
    for (const socket of waiting) socket.destroy()
    for (const worker of workers) tell(worker, { kind: 'close', drainMs })
    const cutOff = setTimeout(() => {
      for (const { child } of workers) child.kill('SIGKILL')
    }, drainMs + killedAfterMs)
    await new Promise<void>((resolve) => {
      onGone = () => {
        if (workers.size === 0) resolve()
      }
      onGone()
    })
    clearTimeout(cutOff)
  }

  await listen(server, options)
  try {
    await allReady()
    hasStarted = true
  } catch (error) {
    await close(0)
    throw error
  }
  return { port: (server.address() as AddressInfo).port, close }
}

function tell({ child }: Worker, message: ToWorker) {
  // One that has just ended is replaced when its end is told.
  if (child.connected) child.send(message, () => {})
}

function arrivalOf(described: DescribedArrival, body: Uint8Array): Omit<Arrival, 'body'> {
  const { id, timestampSeconds, secretIndex, skewSeconds, warnings, rawHeaders, isEvent } = described
  const event = isEvent ? (tryParseJson(body)?.value as NonNullable<Acceptance['event']>) : undefined
  const acceptance = { ok: true, id, timestampSeconds, secretIndex, skewSeconds, warnings } as const
  return {
    acceptance: event === undefined ? { ...acceptance, content: 'json' } : { ...acceptance, content: 'event', event },
    rawHeaders,
    source: 'webhook',
  }
}
