import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import * as client from '../../src/client/index.js'
import {
  ApiError,
  ConnectionError,
  ContractError,
  DlvError,
  SignatureError,
  UsageError,
} from '../../src/contract/index.js'
import { runNode } from '../support/library/run-node.js'

const errors = [
  new UsageError('no key', { hint: 'Give one.' }),
  new ApiError('too late', { status: 409, code: 'QUOTE_EXPIRED', requestId: 'req_1' }),
  new ConnectionError('no answer', { reason: 'timeout', cause: new Error('socket') }),
  new ContractError('no id', { operation: 'createDelivery', issues: ['deliveryId is required'] }),
  new SignatureError('not signed', { reason: 'missing_header' }),
]

describe('An error of this package', () => {
  it.each(errors.map((error) => [error.name, error] as const))('says it is a %s', (name, error) => {
    expect(error.constructor).toBe(new Map(Object.entries(client)).get(name))
    expect(error).toBeInstanceOf(DlvError)
    expect(error).toBeInstanceOf(Error)
    expect(inspect(error).startsWith(`${name}: ${error.message}`)).toBe(true)
  })

  it('has its message and its own fields as JSON', () => {
    expect(errors.map((error) => JSON.parse(JSON.stringify({ error })).error)).toEqual([
      { name: 'UsageError', message: 'no key', kind: 'usage', hint: 'Give one.' },
      {
        name: 'ApiError',
        message: 'too late',
        kind: 'api',
        status: 409,
        code: 'QUOTE_EXPIRED',
        isPermanent: false,
        requestId: 'req_1',
        fieldErrors: [],
      },
      { name: 'ConnectionError', message: 'no answer', kind: 'connection', reason: 'timeout' },
      {
        name: 'ContractError',
        message: 'no id',
        kind: 'contract',
        operation: 'createDelivery',
        issues: ['deliveryId is required'],
      },
      { name: 'SignatureError', message: 'not signed', kind: 'signature', reason: 'missing_header' },
    ])
  })

  it('is told in a few lines if nobody catches it: the line that threw is no whole chunk', async () => {
    for (const call of [
      "import('dlv-cli/client').then((m) => m.createClient())",
      "import('dlv-cli/sandbox').then((m) => m.createSandbox({ rateLimit: -1 }))",
    ]) {
      const { exitCode, stderr } = await runNode(['--eval', call])
      expect(exitCode).toBe(1)
      expect(stderr).toContain('UsageError: ')
      expect(stderr.length).toBeLessThan(3_000)
    }
  })

  it('names the functions that it passed, in both builds', async () => {
    const script = `
      import { createClient } from 'dlv-cli/client'
      import { parseSecret } from 'dlv-cli/webhooks'
      const prepare = () => createClient({ baseUrl: 'http://localhost' }).prepare('getDelivery', { deliveryId: '..' })
      for (const call of [prepare, () => parseSecret('')]) try { call() } catch (error) { console.log(error.stack) }
    `
    for (const conditions of [[], ['--conditions=workerd']]) {
      const result = await runNode([...conditions, '--input-type=module', '--eval', script])
      expect(result.stderr).toBe('')
      expect(result.stdout).toMatch(/^UsageError: deliveryId must not be .*\n {4}at encodeSegment /m)
      expect(result.stdout).toMatch(/^ {4}at parseSecret /m)
    }
  })
})
