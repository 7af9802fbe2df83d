import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createCli } from '../support/cli/program.js'

const readme = readFileSync('README.md', 'utf8')

/** What differs from one tour to the next: ids, ports, clock times, spans and the price of the moment. */
function withoutTheMoment(transcript: string): string[] {
  return transcript
    .replace(/\b(del|evt)_[0-9A-Z]{26}/g, '$1_ID')
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT')
    .replace(/\d\d:\d\d:\d\d/g, 'TIME')
    .replace(/\+\d+m?s(, just now|, \d+s ago)?$/gm, '+SPAN')
    .replace(/\((just now|\d+s ago)\)/g, '(AGO)')
    .replace(/(just now|\d+s ago)$/gm, 'AGO')
    .replace(/\$\d+\.\d\d \(fee \$\d+\.\d\d/g, '$PRICE (fee $FEE')
    .replace(/(Driver {8}).*\n( {16}.*\n)?/g, '$1WHO\n')
    .trimEnd()
    .split('\n')
}

/** What a shop exports: two orders. */
const shopExport = [
  'Name,Email,Financial Status,Paid at,Total,Lineitem quantity,Lineitem name,Shipping Name,Shipping Address1,Shipping City,Shipping Zip,Shipping Province,Shipping Country,Shipping Phone',
  "#1001,a@example.com,paid,2026-11-27 09:14:33 -0500,49.00,2,Mug,Ana Cole,200 Hay St,Fayetteville,'28301,NC,US,(910) 555-0101",
  "#1002,b@example.com,paid,2026-11-27 10:14:33 -0500,15.00,1,Bowl,Ben Ode,418 Ramsey St,Fayetteville,'28301,NC,US,910-555-0102",
]

describe('the README', () => {
  it('shows what the tour prints', async () => {
    const { exitCode, stdout } = await createCli().run(['tour'])
    expect(exitCode).toBe(0)
    const transcript = /<!-- transcript: begin -->\n```text\n(?<tour>[\s\S]*?)```\n<!-- transcript: end -->/.exec(
      readme,
    )
    expect(withoutTheMoment(transcript?.groups?.tour ?? '')).toEqual(withoutTheMoment(stdout))
    expect(stdout.match(/ verified {2}evt_/g)).toHaveLength(8)
  })

  it('creates and tracks a delivery by the lines of its blocks', async () => {
    const [, section = ''] = /\n## Create and track a delivery\n([\s\S]*?)\n## /.exec(readme) ?? []
    // Those that stay have terminals of their own.
    const lines = section.match(/(?<=^\$ )dlv (?!webhooks listen|sandbox start).*/gm) ?? []
    const cli = createCli()
    writeFileSync(join(cli.home, 'orders_export.csv'), `${shopExport.join('\n')}\n`)
    const { exitCode, stdout, stderr } = await cli.script(['set -e', 'cd "$HOME"', ...lines].join('\n'))
    expect([exitCode, stderr]).toEqual([0, expect.not.stringContaining('error:')])
    expect(stdout).toMatch(/\nstatus\tdelivered\n/)
  })
})
