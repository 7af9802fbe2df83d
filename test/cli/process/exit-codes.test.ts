import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { reportOf } from '../../../src/cli/errors/report.js'
import { exitCodeOfRefusal, exitCodes } from '../../../src/cli/process/exit-codes.js'
import { ConnectionError, ContractError, SignatureError, UsageError } from '../../../src/contract/index.js'
import { createCli } from '../../support/cli/program.js'

describe('exit codes', () => {
  for (const [code, status, expected] of [
    ['INVALID_STATE_TRANSITION', 422, 6],
    ['SOMETHING_NEW', 422, 6],
    ['SOMETHING_NEW', 418, 2],
    ['SOMETHING_NEW', 507, 8],
  ] as const)
    it(`${code} with ${status} is ${expected}`, () => expect(exitCodeOfRefusal(code, status)).toBe(expected))

  it('follow the kind of every other error', () => {
    expect(reportOf(new UsageError('x')).exitCode).toBe(exitCodes.usage)
    expect(reportOf(new ConnectionError('x', { reason: 'redirect' })).exitCode).toBe(exitCodes.noAnswer)
    expect(reportOf(new ContractError('x', { operation: 'getDelivery', issues: [] })).exitCode).toBe(exitCodes.noAnswer)
    expect(reportOf(new SignatureError('x', { reason: 'no_matching_signature' })).exitCode).toBe(exitCodes.otherOutcome)
    expect(reportOf(new TypeError('x')).exitCode).toBe(exitCodes.defect)
  })
})

/** Brings about the state in which Node's exit waits for threads that wait for it. */
const compiling = join(import.meta.dirname, '..', '..', 'support', 'cli', 'compiling-at-exit.cjs')

it('an error ends the program, also while threads that compile need memory', async () => {
  const env = { NODE_OPTIONS: `--require ${compiling}` }
  // Nothing else ends a main thread that waits.
  const through = ['timeout', '--signal=KILL', '30']
  const { exitCode, stderr } = await createCli().runProcess(['explain', 'NOPE'], { env, through })
  expect([exitCode, stderr]).toEqual([exitCodes.usage, expect.stringContaining('NOPE')])
})

describe('an error', () => {
  it('never invents a status for an answer that did not come', () => {
    expect(reportOf(new ConnectionError('no answer', { reason: 'timeout' }))).toMatchObject({
      status: null,
      code: 'CONNECTION_TIMEOUT',
    })
  })

  it('does not repeat a key, a secret or a signature', () => {
    const secrets = [
      'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      'dlvk_live_canary12345',
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    ]
    const report = JSON.stringify(
      reportOf(new UsageError(`bad: ${secrets.join(' ')} Bearer abc.def`, { hint: secrets.join(' ') })),
    )
    for (const secret of secrets) expect(report).not.toContain(secret)
    expect(report).not.toContain('abc.def')
  })
})
