import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { listenError } from '../shared/node-errors.js'
import { foldersOf } from '../shared/user-dirs.js'
import { boundHost } from '../shared/web-address.js'
import { assertKnownOptions } from '../shared/word-match.js'
import { createHttpServer } from './http/node-adapter.js'
import { type ServedSandboxOptions, servedSandboxOptionNames } from './options.js'
import { proofSecret, sandboxProof, sharedSecret, socketName } from './owner-proof/index.js'
import { openSandbox, type Sandbox } from './sandbox.js'
import { servicePath } from './service/service.js'

/** A sandbox that listens. */
export interface RunningSandbox extends Sandbox {
  /** The service's base URL, with its version path. */
  baseUrl: string
  /** The address of the control API. */
  controlUrl: string
}

/**
 * The whole service behind a socket: `host` is 127.0.0.1 and `port` a free one unless told. Webhooks are sent and what
 * falls due is done until it is closed. It proves to the command line that it belongs to this user, by
 * `DLV_SANDBOX_SECRET` or by the secret that the command line keeps in the user's data directory.
 */
export async function startSandbox(options: ServedSandboxOptions = {}): Promise<RunningSandbox> {
  assertKnownOptions('startSandbox', options, servedSandboxOptionNames)
  const { host: given = '127.0.0.1', port = 0, keepAlive = false, ...rest } = options
  const host = boundHost(given)
  const shared = sharedSecret(process.env)
  const { sandbox, app, engine } = openSandbox(rest)
  const server = createHttpServer(
    (exchange) => app.answer(exchange),
    (message) => app.answerMalformed(message),
  )
  try {
    server.listen(port, host)
    await once(server, 'listening')
    if (!keepAlive) server.unref().on('connection', (socket: Socket) => socket.unref())
  } catch (error) {
    await sandbox.close()
    throw listenError(host, port, error)
  }
  const address = server.address() as AddressInfo
  const origin = originOf(host, address)
  engine.origin = origin
  engine.prove = (challenge, reachedAt) => {
    const secret = shared ?? proofSecret(process.env, () => foldersOf(process.env).dataDir)
    return secret && sandboxProof(secret, challenge, socketName(reachedAt, address.port))
  }
  if (options.publicUrl === undefined) engine.store.write(() => engine.store.settings.set('publicUrl', origin))
  sandbox.startOutbox()
  const closeSandbox = sandbox.close
  // Members are added in place: `webhookSecret` reads the store each time it is asked for.
  return Object.assign(sandbox, {
    baseUrl: origin + servicePath,
    controlUrl: `${origin}/_sandbox`,
    async close() {
      // URLs of pages must not keep naming a port where nobody listens.
      const isOpen = server.listening
      server.close()
      server.closeAllConnections()
      try {
        if (isOpen && engine.store.settings.get('publicUrl') === origin)
          engine.store.write(() => engine.store.settings.remove('publicUrl'))
      } finally {
        await closeSandbox()
      }
    },
  })
}

function originOf(host: string, address: AddressInfo): string {
  const isEverywhere = host === '0.0.0.0' || host === '::'
  const name = isEverywhere ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${address.port}`
}
