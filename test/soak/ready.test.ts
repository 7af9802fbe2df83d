import { expect, it } from 'vitest'
import { newSecret } from '../../src/webhooks/index.js'
import { createCli } from '../support/cli/program.js'
import { startTestApp } from '../support/listener/test-app.js'
import { postEvent, testEvent } from '../support/listener/test-listener.js'
import { createTestDatabase, describeOnPostgres } from '../support/postgres/database.js'
import { serveSandbox } from '../support/sandbox/served-sandbox.js'
import { until } from '../support/until.js'

/** Of each kind; SOAK_STARTS takes another number. */
const starts = Number(process.env.SOAK_STARTS ?? 200)
const secret = newSecret()
const sandbox = serveSandbox()
const numbers = Array.from({ length: starts }, (_, index) => index)
const orderOf = (name: string) => ['deliveries', 'create', '--file', 'examples/order.json', '--ref', name]

/** What a process has lost of what happened once its ready line was seen. */
async function lostAfterReady(lose: (number: number) => Promise<boolean>): Promise<number> {
  let lost = 0
  for (const number of numbers) if (await lose(number)) lost++
  return lost
}

/** Whether it does not happen within a time that no healthy process needs. */
const isMissing = (what: string, question: () => boolean | Promise<boolean>) =>
  until(what, question).then(
    () => false,
    () => true,
  )

it('a listener that fetches loses nothing', async () => {
  const cli = createCli()
  const env = { ...sandbox.env(), DLV_WEBHOOK_SECRET: secret }
  const lost = await lostAfterReady(async (number) => {
    const journal = ['--journal', `${cli.home}/pull-${number}.db`]
    const listener = cli.startProcess(['webhooks', 'listen', '--pull', '-o', 'ndjson', ...journal], { env })
    await listener.line((line) => line.includes('"ready"'))
    const { deliveryId } = await cli.json<{ deliveryId: string }>(orderOf(`PULLED-${number}`), { env })
    const isLost = await isMissing('the event', () => listener.lines().some((line) => line.includes(deliveryId)))
    await listener.kill('SIGKILL')
    return isLost
  })
  expect(lost).toBe(0)
})

it('a listener of the embedded sandbox loses nothing, also with --expect and --exec', async () => {
  const lost = await lostAfterReady(async (number) => {
    const cli = createCli()
    const order = orderOf(`POSTED-${number}`)
    const words = ['webhooks', 'listen', '-o', 'ndjson', '--expect', 'delivery.accepted']
    if (number % 2 === 0) {
      const command = [process.execPath, 'bin/run.js', ...order].join(' ')
      return (await cli.runProcess([...words, '--exec', command])).exitCode !== 0
    }
    const listener = cli.startProcess(words)
    await listener.line((line) => line.includes('"ready"'))
    await cli.json(order)
    const isLost = await isMissing('the event', () => listener.child.exitCode === 0)
    await listener.kill('SIGKILL')
    return isLost
  })
  expect(lost).toBe(0)
})

it('a served sandbox and the page answer at once, and the page receives what happens', async () => {
  const lost = await lostAfterReady(async (number) => {
    const cli = createCli()
    const served = cli.startProcess(['sandbox', 'start', '--port', '0', '-o', 'ndjson'])
    const { baseUrl, apiKey } = JSON.parse(await served.line((line) => line.includes('"ready"')))
    const env = { DLV_BASE_URL: baseUrl, DLV_API_KEY: apiKey }
    const order = await cli.run(orderOf(`SERVED-${number}`), { env })
    await served.kill('SIGKILL')
    const page = cli.startProcess(['ui', '--port', '0', '-o', 'ndjson'])
    await page.line((line) => line.includes('"ready"'))
    const { deliveryId } = await cli.json<{ deliveryId: string }>(orderOf(`SHOWN-${number}`))
    const received = async () => (await cli.run(['webhooks', 'log', '--delivery', deliveryId, '-q'])).stdout !== ''
    const isLost = await isMissing('the webhook', received)
    await page.kill('SIGKILL')
    return order.exitCode !== 0 || isLost
  })
  expect(lost).toBe(0)
})

describeOnPostgres('listeners that share a journal', () => {
  it('lose nothing: a forwarder gets what is taken once it is ready', async () => {
    const database = await createTestDatabase()
    const cli = createCli()
    const env = { ...database.env, ...sandbox.env(), DLV_WEBHOOK_SECRET: secret }
    const words = ['webhooks', 'listen', '--journal', database.address, '-o', 'ndjson']
    const receiver = cli.startProcess(words, { env })
    const { url } = JSON.parse(await receiver.line((line) => line.includes('"ready"')))
    const lost = await lostAfterReady(async () => {
      const app = await startTestApp()
      const forwarder = cli.startProcess([...words, '--no-receive', '--forward-to', app.url], { env })
      await forwarder.line((line) => line.includes('"ready"'))
      const event = testEvent()
      const status = await postEvent(url, secret, event)
      const isLost = await isMissing('the event', () => app.ids().includes(event.id))
      await forwarder.kill()
      await cli.run(['webhooks', 'targets', 'remove', app.url, '--journal', database.address], { env })
      return status !== 200 || isLost
    })
    expect(lost).toBe(0)
  })
})
