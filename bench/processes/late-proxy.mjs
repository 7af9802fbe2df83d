/**
 * Passes every request on to `--to ORIGIN`, `--ms N` later: a service as far away as a real one. It allows what the service
 * behind it allows.
 */
import { Agent, createServer, request } from 'node:http'
import { parseArgs } from 'node:util'

const { values: flags } = parseArgs({ options: { to: { type: 'string' }, ms: { type: 'string', default: '40' } } })
const agent = new Agent({ keepAlive: true })

const server = createServer((incoming, outgoing) => {
  setTimeout(() => {
    const { method, headers } = incoming
    const behind = request(new URL(incoming.url, flags.to), { agent, method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode, answer.rawHeaders)
      answer.pipe(outgoing)
    })
    behind.on('error', () => outgoing.destroy())
    incoming.pipe(behind)
  }, Number(flags.ms))
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ origin: `http://127.0.0.1:${server.address().port}` })}\n`)
})
process.once('SIGTERM', () => process.exit(0))
