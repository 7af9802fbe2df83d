import { expect, it, onTestFinished } from 'vitest'
import { createCli } from '../support/cli/program.js'
import { startHttpServer } from '../support/http-server.js'

const runs = 60
const atOnce = 6

/** Compiles functions in threads earlier than usual: Node's exit waits for them, and they may wait for the main thread. */
const compilingEarly = ['sh', '-c', 'node=$1; shift; exec "$node" --stress-maglev "$@"', 'sh']

it('every run ends that stops amid a large picture, whatever threads still compile', async () => {
  const megabyte = Buffer.alloc(1_000_000)
  const origin: string = await startHttpServer((request, response) => {
    if (request.url === '/picture') {
      const send = () => {
        while (response.write(megabyte));
      }
      response.setHeader('content-type', 'image/png').on('drain', send)
      return send()
    }
    const proofOfDelivery = [{ type: 'photo', stage: 'dropoff', url: `${origin}/picture` }]
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ deliveryId: 'del_1', status: 'delivered', proofOfDelivery }))
  })
  const env = { DLV_BASE_URL: `${origin}/delivery/v1`, DLV_API_KEY: 'dlvk_test' }
  const ends: (number | null | string)[] = []
  const lane = async () => {
    while (ends.length < runs) {
      const cli = createCli(onTestFinished)
      const running = cli.startProcess(['deliveries', 'proof', 'del_1', '--save', cli.home], {
        env,
        through: compilingEarly,
      })
      const ended = new Promise<number | null>((resolve) => running.child.once('exit', resolve))
      const late = AbortSignal.timeout(60_000)
      const givenUp = new Promise<string>((resolve) => late.addEventListener('abort', () => resolve('never')))
      ends.push(await Promise.race([ended, givenUp]))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
  expect(new Set(ends)).toEqual(new Set([8]))
}, 900_000)
