import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import { onTestFinished } from 'vitest'

/** Starts a server on this machine, gone after the test, or when another hook of vitest says so; its origin. */
export async function startHttpServer(
  answer: RequestListener | Server,
  whenOver: (end: () => void) => void = onTestFinished,
): Promise<string> {
  const server = typeof answer === 'function' ? createServer(answer) : answer
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  whenOver(() => {
    if ('closeAllConnections' in server) (server as ReturnType<typeof createServer>).closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Takes every request, and says nothing. */
export const takeAll: RequestListener = (request, response) => {
  request.resume().once('end', () => response.writeHead(204).end())
}
