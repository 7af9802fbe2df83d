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
