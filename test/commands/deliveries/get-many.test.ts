import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCli } from '../../support/cli/program.js'
import { serveSandbox } from '../../support/sandbox/served-sandbox.js'

describe('deliveries get with several ids', () => {
  const sandbox = serveSandbox()
  const cli = createCli(afterAll)
  const ids: string[] = []
  const get = (stdin: string, ...words: string[]) =>
    cli.run(['deliveries', 'get', '-', ...words], { env: sandbox.env(), stdin })

  beforeAll(async () => {
    for (const reference of ['A', 'B']) {
      const create = ['deliveries', 'create', '--file', 'examples/order.json', '--ref', reference]
      ids.push((await cli.json<{ deliveryId: string }>(create, { env: sandbox.env() })).deliveryId)
    }
  })

  it('continues after an unknown id, names it, and ends with 9', async () => {
    const { exitCode, stdout, stderr } = await get(`${ids[0]}\ndel_missing\n${ids[1]}\n`, '-q')
    expect(stdout).toBe(`${ids[0]}\n${ids[1]}\n`)
    expect(stderr).toMatch(/^warning: del_missing: .*\(DELIVERY_NOT_FOUND\)$/m)
    expect(stderr).toContain('1 of 3 could not be read.')
    expect(exitCode).toBe(9)
  })

  it('takes an empty pipe for an empty result, as every command that reads ids or rows does', async () => {
    const runs = join(cli.home, '.local/share/dlv/runs')
    for (const words of [
      ['deliveries', 'get', '-'],
      ['events', 'replay', '-', '--to', 'http://127.0.0.1:9/'],
      ['webhooks', 'resend', '-', '--to', 'http://127.0.0.1:9/', '--journal', join(cli.home, 'none.db')],
      ['deliveries', 'cancel', '-'],
      ['deliveries', 'update', '-', '--tip-cents', '1'],
      ['deliveries', 'create', '--file', '-'],
    ]) {
      const { exitCode, stdout, stderr } = await cli.run(words, { env: sandbox.env(), stdin: '\n' })
      expect([exitCode, stdout], `${words}: ${stderr}`).toEqual([0, ''])
      expect(stderr).toMatch(words.includes('get') || words.includes('--to') ? /^No ids\.$/m : /^No rows\.$/m)
    }
    expect(JSON.parse((await get('', '--json')).stdout)).toEqual([])
    expect(existsSync(runs) ? readdirSync(runs) : []).toEqual([])
  })

  it('leaves no results of a sheet with a header only', async () => {
    const sheet = join(cli.home, 'head.csv')
    writeFileSync(sheet, 'clientOrderReference,pickup.storeReference\n')
    const { exitCode, stderr } = await cli.run(['deliveries', 'create', '--file', sheet], { env: sandbox.env() })
    expect([exitCode, stderr]).toEqual([0, 'No rows.\n'])
    expect(readdirSync(cli.home).filter((name) => name.startsWith('head'))).toEqual(['head.csv'])
  })

  it('prints the others as JSON too', async () => {
    const { exitCode, stdout } = await get(`del_missing\n${ids[1]}\n`, '--json')
    expect(JSON.parse(stdout)).toMatchObject([{ deliveryId: ids[1] }])
    expect(exitCode).toBe(9)
  })

  it('fails as one id does if none is known', async () => {
    const { exitCode, stdout, stderr } = await get('del_missing\ndel_missing_too\n', '--json')
    expect(stdout).toBe('')
    expect(JSON.parse(stderr).error).toMatchObject({ code: 'DELIVERY_NOT_FOUND', exitCode: 4 })
    expect(exitCode).toBe(4)
  })

  it('stops at what the next id cannot change', async () => {
    const { exitCode, stderr } = await cli.run(['deliveries', 'get', ...ids], {
      env: sandbox.env('dlvk_sbx_revoked'),
    })
    expect(exitCode).toBe(3)
    expect(stderr.match(/UNAUTHORIZED/g)).toHaveLength(1)
  })
})
