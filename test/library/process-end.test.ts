import { expect, it } from 'vitest'
import { runNode } from '../support/library/run-node.js'

it('A process ends by itself, with 0, if only clients and sandboxes that nobody closed are left', async () => {
  const script = `
    import { createClient } from 'dlv-cli/client'
    import { createSandbox, startSandbox } from 'dlv-cli/sandbox'
    const sandbox = await startSandbox()
    createSandbox().startOutbox()
    const client = createClient({ baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey })
    await client.getCapabilities()
    await sandbox.clock.advance('1h')
    console.log('done')
  `
  const result = await runNode(['--input-type=module', '--eval', script])
  expect(result).toEqual({ exitCode: 0, stdout: 'done\n', stderr: '' })
})
