import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createCli } from '../support/cli/program.js'

describe('deliveries create --from an order with texts', () => {
  it('copies its texts, and once they are removed names each that is not copied, unless it is given again', async () => {
    const cli = createCli()
    const file = join(cli.home, 'order.json')
    const order = {
      clientOrderReference: 'TEXTS-1',
      pickup: { storeReference: 'STORE-001' },
      dropoff: {
        address: '4100 Bragg Blvd, Fayetteville, NC 28303',
        contactName: 'Maya Reyes',
        contactPhone: '+19105550142',
      },
      package: { description: 'Two boxes of shirts', weightGrams: 900 },
      metadata: { costCentre: 'CC-7' },
    }
    writeFileSync(file, JSON.stringify(order))
    await cli.json(['deliveries', 'create', '--file', file])
    const kept = await cli.run(['deliveries', 'create', '--from', 'TEXTS-1', '--dry-run', '--json'])
    expect(JSON.parse(kept.stdout).body).toMatchObject({ package: order.package, metadata: order.metadata })
    await cli.json(['sync', '--no-personal'])
    const like = await cli.run(['deliveries', 'create', '--from', 'TEXTS-1', '--dry-run', '--json'])
    expect([like.exitCode, like.stderr]).toEqual([0, expect.stringContaining('package.description')])
    expect(like.stderr).toContain('metadata.costCentre')
    expect(JSON.parse(like.stdout).body.package).toEqual({ weightGrams: 900 })
    const given = ['--set', 'package.description=Shirts', '--set', 'metadata.costCentre=CC-8']
    const again = await cli.run(['deliveries', 'create', '--from', 'TEXTS-1', '--dry-run', '--json', ...given])
    expect(again.stderr).not.toContain('not kept')
    expect(JSON.parse(again.stdout).body).toMatchObject({ package: { description: 'Shirts', weightGrams: 900 } })
  })
})
