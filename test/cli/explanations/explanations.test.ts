import { describe, expect, it } from 'vitest'
import { explain, explanations } from '../../../src/cli/explanations/index.js'
import { exitCodes } from '../../../src/cli/process/exit-codes.js'
import { errorStatuses } from '../../../src/contract/index.js'
import { createCli } from '../../support/cli/program.js'

describe('dlv explain', () => {
  // That every word of the contract has an explanation, the compiler sees.
  it('knows every exit code and every status of an error', () => {
    const codes = [...Object.values(exitCodes), ...Object.values(errorStatuses).flat()].map(String)
    expect(codes.filter((code) => explain(code).length === 0)).toEqual([])
  })

  it('gives each a meaning, advice on retrying, and for every refusal a next command', () => {
    for (const { code, kind, meaning, retry, next } of explanations) {
      expect(meaning.length, code).toBeGreaterThan(15)
      expect(retry.length, code).toBeGreaterThan(2)
      if (kind === 'error code' || kind === 'reason' || kind === 'command-line error')
        expect(next.length, code).toBeGreaterThan(0)
    }
  })

  it.each(['405', 'METHOD_NOT_ALLOWED', 'NOT_FOUND'])('knows %s, with which the sandbox answers', (code) => {
    expect(explain(code)[0]?.code).toBe(code)
  })

  it.each([
    ['denied-at-gate', 'denied_at_gate'],
    ['duplicate_order', 'DUPLICATE_ORDER'],
    ['pinCode', 'pin_code'],
    ['pincode', 'pin_code'],
    ['Late', 'late'],
  ])('ignores case, dashes and underscores: %s is %s', (typed, code) => {
    expect(explain(typed)[0]?.code).toBe(code)
  })

  it('names the error codes and the exit code of an HTTP status', async () => {
    const { stdout } = await createCli().run(['explain', '404', '-o', 'csv'])
    for (const part of [
      'HTTP status',
      'DELIVERY_NOT_FOUND',
      'DRIVER_NOT_FOUND',
      'INSTALLATION_NOT_FOUND',
      'exits with 4',
    ])
      expect(stdout).toContain(part)
  })

  it.each([
    ['429', 'shares its requests per second', 'dlv capabilities --jq .capabilities.maxRequestsPerSecond'],
    ['503', 'a temporary outage', 'dlv deliveries get --ref <clientOrderReference>'],
  ])('says of %s whose fault it is, that dlv waits, and where to look', async (code, meaning, next) => {
    const explained = await createCli().json<{ meaning: string; retry: string; next: string[] }>(['explain', code])
    expect(explained.meaning).toContain(meaning)
    expect(explained.retry).toContain('dlv')
    expect(explained.next).toContain(next)
  })

  it('names a command for the limit that prints it', async () => {
    const cli = createCli()
    const [command = ''] = explain('429')[0]?.next ?? []
    expect(await cli.run(command.split(' ').slice(1))).toMatchObject({ exitCode: 0, stdout: '20\n' })
  })

  it('shows each meaning of a code that has several', async () => {
    const kinds = await createCli().json<{ kind: string }[]>(['explain', 'failed'])
    expect(kinds.map(({ kind }) => kind)).toEqual(['status', 'webhook state'])
  })

  it('suggests the nearest code for an unknown one', async () => {
    const { exitCode, stderr } = await createCli().run(['explain', 'gate_closd'])
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('Did you mean "gate_closed"?')])
  })
})
