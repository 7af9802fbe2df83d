import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { DeliveryCreate } from '../../../src/contract/index.js'
import { createCli } from '../../support/cli/program.js'
import { serveSandbox } from '../../support/sandbox/served-sandbox.js'

interface Schema {
  properties?: Record<string, Schema>
}

/** The paths of all fields, down to those that hold no named fields of their own. */
function fieldPaths({ properties = {} }: Schema, above = ''): string[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const path = `${above}${name}`
    return schema.properties === undefined ? [path] : fieldPaths(schema, `${path}.`)
  })
}

const order = ['--file', 'examples/order.json']

describe('Every field of an order', () => {
  it('has a flag, or is named in the help of --set', async () => {
    const { stdout } = await createCli().run(['deliveries', 'create', '--help'])
    const help = stdout.replace(/\s+/g, ' ')
    const shown = (path: string) => {
      const written = path
        .replace(/^(timeWindows\.(?:pickup|dropoff))\..*/, '$1:')
        .replace(/^(verification\.dropoff)\.\w+\.level$/, '$1.CHECK.level')
      return help.includes(written)
    }
    const paths = fieldPaths(z.toJSONSchema(DeliveryCreate, { io: 'input', unrepresentable: 'any' }) as Schema)
    expect(paths.length).toBeGreaterThan(30)
    expect(paths.filter((path) => !shown(path))).toEqual([])
  })

  it('of dispatch and handling can be set by a flag', async () => {
    const flags = ['--team', 'team_north', '--handoff', 'cq_desk', '--fallback-handoff', 'visitor_center']
    const { stdout } = await createCli().run(['deliveries', 'create', ...order, ...flags, '--dry-run', '--jq', '.body'])
    expect(JSON.parse(stdout)).toMatchObject({
      dispatch: { teamReference: 'team_north' },
      handling: { handoff: 'cq_desk', fallbackHandoff: 'visitor_center' },
    })
  })
})

describe('quotes create', () => {
  const sandbox = serveSandbox()
  const quote = (...flags: string[]) =>
    createCli().run(['quotes', 'create', ...order, ...flags], { env: sandbox.env() })

  it('names the flags and fields that are not part of a quote', async () => {
    const { exitCode, stderr } = await quote('--tip-cents', '500', '--team', 'team_north', '--set', 'quoteId=qot_1')
    expect(exitCode).toBe(0)
    expect(stderr).toContain('Not part of a quote, left out: quoteId, --team, handling, --tip-cents, metadata.\n')
  })

  it('says in its help which flags those are', async () => {
    const { stdout } = await createCli().run(['quotes', 'create', '--help'])
    for (const flag of ['--tip-cents', '--team', '--handoff', '--fallback-handoff', '--if-undeliverable'])
      expect(stdout.split('USAGE')[0]).toContain(flag)
  })

  it.each([
    ['in a pipe', []],
    ['with -q', ['-q']],
    ['as CSV', ['-o', 'csv']],
  ])('says why there is no quote: %s', async (_name, flags) => {
    const { exitCode, stdout, stderr } = await quote('--store', 'STORE-NOQUOTE-CAPACITY', ...flags)
    expect(exitCode).toBe(0)
    expect(stdout.trim().split('\n').length).toBeLessThan(2)
    expect(stderr).toContain('No quotes: NO_CAPACITY.')
    expect(stderr).toContain('dlv explain NO_CAPACITY')
  })

  it('says why there is no quote once on a terminal', async () => {
    const { stdout } = await createCli().run(['quotes', 'create', ...order, '--store', 'STORE-NOQUOTE-CAPACITY'], {
      env: sandbox.env(),
      columns: 80,
    })
    expect(stdout.match(/No quotes/g)).toHaveLength(1)
  })
})
