import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { copyCluster, initCluster, type PostgresServer, removeCluster, startServer } from './cluster.js'
import { postgresBin } from './programs.js'

/**
 * Lends one PostgreSQL to all tests of a run. Nothing is started before the first test asks: a run without such tests
 * pays for one open port.
 */
export default function setup() {
  let template: string | undefined
  let server: Promise<PostgresServer> | undefined

  const templateOf = (bin: string) => {
    template ??= initCluster(bin)
    return template
  }
  const lend = async (what: string | undefined) => {
    const bin = postgresBin()
    if (bin === undefined) return {}
    const data = templateOf(bin)
    if (what === '/template') return { bin, template: data }
    server ??= startServer(bin, copyCluster(data))
    return { bin, port: (await server).port }
  }

  const broker = createServer((request, response) => {
    lend(request.url).then(
      (lent) => response.end(JSON.stringify(lent)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  return new Promise<() => Promise<void>>((resolve) => {
    broker.listen(0, '127.0.0.1', () => {
      process.env.DLV_TEST_POSTGRES_BROKER = String((broker.address() as AddressInfo).port)
      resolve(async () => {
        broker.close()
        broker.closeAllConnections()
        const running = await server?.catch(() => undefined)
        await running?.kill('SIGQUIT')
        if (running !== undefined) removeCluster(running.folder)
        if (template !== undefined) removeCluster(template)
      })
    })
  })
}
