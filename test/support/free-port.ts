import { createServer } from 'node:net'

/** A port of loopback that nothing listens on now. */
export async function freePort(): Promise<number> {
  const server = createServer()
  const port = await new Promise<number>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : 0)
    })
  })
  await new Promise((resolve) => server.close(resolve))
  return port
}
