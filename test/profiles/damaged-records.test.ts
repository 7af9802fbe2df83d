import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startJsonServer } from '../support/cli/json-server.js'
import { createCli } from '../support/cli/program.js'

const recordOf = (home: string, name: string) => join(home, '.config', 'dlv', name)

describe('A record that was cut short', () => {
  it('of trusted projects takes the next one in', async () => {
    const cli = createCli()
    const cwd = join(cli.home, 'project')
    mkdirSync(cwd)
    writeFileSync(join(cwd, '.dlv.json'), JSON.stringify({ profile: 'local' }))
    const trust = () => cli.run(['profiles', 'trust', '--yes'], { cwd })
    await trust()
    truncateSync(recordOf(cli.home, 'trusted-projects'), 30)
    expect((await cli.run(['health'], { cwd })).stderr).toContain('dlv profiles trust')
    expect((await trust()).exitCode).toBe(0)
    expect((await cli.run(['health'], { cwd })).exitCode).toBe(0)
  })

  it('of production keys is named before a key is used that it may have named, and is not changed', async () => {
    const service = await startJsonServer((_, response) => {
      response.statusCode = 403
      return JSON.stringify({ error: { code: 'SANDBOX_ONLY', message: 'No.' }, requestId: 'req_1' })
    })
    const cli = createCli()
    const simulate = (key: string) =>
      cli.run(['simulate', 'del_1', '--to', 'delivered'], { env: { ...service.env, DLV_API_KEY: key } })
    const record = recordOf(cli.home, 'production-keys')
    expect((await simulate('dlvk_sbx_one')).exitCode).toBe(3)
    truncateSync(record, readFileSync(record).length - 30)
    const before = readFileSync(record)
    const asked = service.asked.length
    const { exitCode, stderr } = await simulate('dlvk_sbx_one')
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringMatching(/production-keys, .* is damaged at line 2\..*\n.*Remove line 2/),
    ])
    expect([service.asked.length, readFileSync(record)]).toEqual([asked, before])
    // Without the line, the service shows it again.
    writeFileSync(record, '')
    expect((await simulate('dlvk_sbx_one')).exitCode).toBe(3)
    expect((await simulate('dlvk_sbx_one')).stderr).toContain('is a production key')
    await service.close()
  })
})
