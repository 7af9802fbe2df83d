import type { Socket } from 'node:net'
import { receiver } from '../http/receiver.js'
import type { RejectionReport } from '../http/rejections.js'
import { type FedServer, fedServer } from '../http/server.js'
import { recogniser } from '../self-check.js'
import type { CountedRejection, FromWorker, ToWorker, WorkerSetup } from './messages.js'
import { type RemoteIntake, remoteIntake } from './remote-intake.js'

/** The process's own channel to the one that started it. */
type Channel = Pick<NodeJS.Process, 'send' | 'on' | 'disconnect'>

/**
 * Serves as a worker of the listener that has started this process with a channel (`stdio: ['ignore', 'ignore',
 * 'inherit', 'ipc']` and `serialization: 'advanced'`): takes connections from it, verifies what they bring, and
 * acknowledges what the listener has on disk. Resolves once the listener has closed it, or has ended itself.
 */
export async function serveListenerWorker(channel: Channel = process): Promise<void> {
  const send = (message: FromWorker) => void channel.send?.(message, undefined, undefined, () => {})
  let worker: RunningWorker | undefined
  channel.on('message', (message: ToWorker, socket: unknown) => {
    if (message.kind === 'setup') {
      worker = startWorker(message.setup, send)
      send({ kind: 'ready' })
    } else if (message.kind === 'connection') {
      // Without a socket, the sender has closed it on the way.
      if (socket !== undefined) worker?.server.take(socket as Socket)
    } else if (message.kind === 'settled') worker?.intake.settle(message.settled)
    else if (message.kind === 'behind') worker?.setBehind(message.isBehind)
    else void worker?.close(message.drainMs).then(() => channel.disconnect?.())
  })
  await new Promise<void>((resolve) => channel.on('disconnect', resolve))
}

interface RunningWorker {
  server: FedServer
  intake: RemoteIntake
  setBehind(isBehind: boolean): void
  close(drainMs: number): Promise<void>
}

function startWorker(setup: WorkerSetup, send: (message: FromWorker) => void): RunningWorker {
  const { path, hosts, limits, secrets, otherSecrets, toleranceSeconds, tls } = setup
  const intake = remoteIntake(send)
  const rejections = gathered(send)
  const closing = new AbortController()
  let isBehind = false
  const handle = receiver({
    gate: { path, hosts: hosts === undefined ? undefined : new Set(hosts), bodyBytes: limits.bodyBytes },
    limits,
    secrets,
    otherSecrets,
    toleranceSeconds,
    ingest: intake.ingest,
    selfCheck: recogniser(setup.selfCheckMark, intake.probe),
    isBehind: () => isBehind,
    closing: closing.signal,
    closesConnections: false,
    onAnswered() {},
    report: rejections.report,
    now: Date.now,
  })
  const server = fedServer({ tls, limits, handle, report: rejections.report })
  return {
    server,
    intake,
    setBehind(now) {
      isBehind = now
    },
    async close(drainMs) {
      closing.abort()
      await server.close(drainMs)
      rejections.flush()
    },
  }
}

/** Gathers the rejections of one turn, so that a flood of bad requests is no flood of messages. */
function gathered(send: (message: FromWorker) => void) {
  const byReason = new Map<string, CountedRejection>()
  const flush = () => {
    if (byReason.size === 0) return
    send({ kind: 'rejections', rejections: [...byReason.values()] })
    byReason.clear()
  }
  return {
    report(rejection: RejectionReport) {
      if (byReason.size === 0) setImmediate(flush)
      const [, count = 0] = byReason.get(rejection.reason) ?? []
      byReason.set(rejection.reason, [rejection, count + 1])
    },
    flush,
  }
}
