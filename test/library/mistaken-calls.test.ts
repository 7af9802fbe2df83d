import { join } from 'node:path'
import { expect, it } from 'vitest'
import { cheapestQuote, createClient, fetchTransport } from '../../src/client/index.js'
import { runNode } from '../support/library/run-node.js'
import { createTempDir } from '../support/temp-dir.js'

const transport = fetchTransport(() => Promise.reject(new Error('Nothing is sent')))
const client = createClient({ baseUrl: 'http://127.0.0.1/delivery/v1', transport })
const quoted = (choice: unknown) => cheapestQuote(client, {} as never, choice as never)
const pagesHint = 'Those are listDeliveries, listInstallations, listEvents.'

/** Calls as plain JavaScript can make them. */
const calls: [title: string, call: () => Promise<unknown>, message: string, hint: string | undefined][] = [
  [
    'cheapestQuote with a number',
    () => quoted(1_500),
    'The third argument of cheapestQuote is { maxPriceCents }, not 1500',
    'Write the limit as { maxPriceCents: 1500 }.',
  ],
  [
    'cheapestQuote with another name',
    () => quoted({ maxPrice: 15 }),
    'The third argument of cheapestQuote has no option "maxPrice"',
    'Did you mean "maxPriceCents"?',
  ],
  [
    'cheapestQuote with a text',
    () => quoted({ maxPriceCents: '15.00' }),
    'maxPriceCents must be a number of at least 0, not 15.00',
    'Leave it out for the default.',
  ],
  [
    'each with a wrong word',
    async () => Array.fromAsync(client.each('events' as 'listEvents')),
    '"events" is not an operation with pages',
    pagesHint,
  ],
  [
    'answers of an operation without pages',
    async () => Array.fromAsync(client.answers('getDelivery' as 'listEvents')),
    '"getDelivery" is not an operation with pages',
    pagesHint,
  ],
  [
    'call with a wrong word',
    () => client.call('creatDelivery' as never, {} as never),
    '"creatDelivery" is not an operation',
    'Did you mean "createDelivery"?',
  ],
]

it.each(calls)('%s is refused with its value and the remedy', async (_, call, message, hint) => {
  await expect(call()).rejects.toMatchObject({ name: 'UsageError', message, hint })
})

it('A Node without node:sqlite is told which one is needed, once the library is used', async () => {
  const script = `
    import { createClient } from 'dlv-cli/client'
    import { startListener } from 'dlv-cli/listener'
    import { startSandbox } from 'dlv-cli/sandbox'
    import { startTestSandbox } from 'dlv-cli/testing'
    import { newSecret } from 'dlv-cli/webhooks'
    const say = ({ name, message }) => console.log(name + ': ' + message)
    await startSandbox().catch(say)
    await startTestSandbox().catch(say)
    await startListener({ journal: ${JSON.stringify(join(createTempDir(), 'journal.db'))}, secrets: [{ name: 'own', secret: newSecret() }] }).catch(say)
    await createClient({ baseUrl: 'http://127.0.0.1:9/delivery/v1' }).getHealth().catch(say)
  `
  const { stdout, stderr } = await runNode(['--no-experimental-sqlite', '--input-type=module', '--eval', script])
  expect(stderr).toBe('')
  const line = `UsageError: This Node has no node:sqlite: dlv-cli needs Node 22.19 or newer, this is ${process.versions.node}`
  expect(stdout.trim().split('\n')).toEqual([line, line, line, line])
})
