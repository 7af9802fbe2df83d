import { createServer } from 'node:net'

/** Below the ports that systems hand out by themselves: no connection of another test takes one of these meanwhile. */
const lowest = 15_000
const highest = 32_000

/** A port of loopback that nothing listens on now, and that stays free while a program starts or starts again. */
export async function freePort(): Promise<number> {
  const port = lowest + Math.floor(Math.random() * (highest - lowest))
  const server = createServer()
  const isFree = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
  return isFree ? port : freePort()
}
