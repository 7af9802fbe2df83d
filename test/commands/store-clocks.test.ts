import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createCli } from '../support/cli/program.js'

const cli = createCli(afterAll)
const map = 'Order=clientOrderReference,To=dropoff.address,By=timeWindows.dropoff.end'
const order = ['--store', 'STORE-001', '--name', 'Ann', '--phone', '+19105550101', '--dry-run', '-o', 'ndjson']

interface Checked {
  clientOrderReference: string
  body: { timeWindows: { dropoff: { start?: string; end: string } } } | null
  error: { message: string } | null
}

/** What a dry run says of a sheet of addresses and times. */
async function read(rows: readonly (readonly [address: string, time: string])[], ...flags: string[]) {
  const file = join(cli.home, `sheet-${Math.random()}.csv`)
  writeFileSync(file, `Order,To,By\n${rows.map(([to, by], row) => `Z-${row},"${to}",${by}`).join('\n')}\n`)
  const words = ['deliveries', 'create', '--file', file, '--map', map, ...order, ...flags]
  const { stdout, stderr } = await cli.run(words, { nowMs: () => Date.parse('2036-01-02T00:00:00Z') })
  const checked = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Checked)
  return { stderr, said: checked.map(({ body, error }) => error?.message ?? body?.timeWindows.dropoff.end ?? '') }
}

describe('--us-times store', () => {
  it('reads a time in the zone of the ZIP code, and says how many in which zone', async () => {
    const { said, stderr } = await read(
      [
        ['1 Main St, Elizabethtown, KY 42701', '11/30/2036 10:00 AM'],
        ['1 Main St, Arnold AFB, TN 37389', '11/30/2036 10:00 AM'],
        ['1 Main St, Port St Joe, FL 32457', '11/30/2036 10:00 AM'],
        ['1 Main St, West Wendover, NV 89883', '11/30/2036 10:00 AM'],
        ['1 Main St, Tuba City, AZ 86045', '7/15/2036 10:00 AM'],
        ['1 Main St, Adak, AK 99546', '11/30/2036 10:00 AM'],
        ['1 Main St, San Juan, PR 00901', '7/15/2036 10:00 AM'],
        ['1 Main St, San Juan, PR 00901', '11/30/2036 10:00 AM'],
        ['1 Main St, Tamuning, GU 96913', '11/30/2036 10:00 AM'],
        ['1 Main St, Pago Pago, AS 96799', '11/30/2036 10:00 AM'],
        ['1 Main St, Vine Grove, KY 42701-1234', '2036-11-30 10:00'],
      ],
      '--us-times',
      'store',
    )
    expect(said).toEqual([
      '2036-11-30T15:00:00.000Z',
      '2036-11-30T16:00:00.000Z',
      '2036-11-30T15:00:00.000Z',
      '2036-11-30T17:00:00.000Z',
      '2036-07-15T16:00:00.000Z',
      '2036-11-30T20:00:00.000Z',
      '2036-07-15T14:00:00.000Z',
      '2036-11-30T14:00:00.000Z',
      '2036-11-30T00:00:00.000Z',
      '2036-11-30T21:00:00.000Z',
      '2036-11-30T15:00:00.000Z',
    ])
    expect(stderr).toContain('3 times read in America/New_York, 2 in America/Denver, 2 in America/Puerto_Rico, 1 in ')
  })

  it('refuses a ZIP code that lies in two zones, or that nobody knows, with both readings and the remedy', async () => {
    const { said } = await read(
      [
        ['1 Main St, Mobridge, SD 57601', '11/30/2036 3:00 PM'],
        ['1 Main St, Elizabethtown, KY 42799', '11/30/2036 3:00 PM'],
        ['1 Main St, Nowhere, FL 34312', '11/30/2036 3:00 PM'],
        ['1 Main St, Clarksville, KY 37042', '11/30/2036 3:00 PM'],
        ['1 Main St, Page, AZ 86040', '7/15/2036 3:00 PM'],
        ['1 Main St, Fayetteville, NC 28301', '11/2/2036 1:30 AM'],
        ['1 Main St, Mobridge, SD 57601', '2036-11-30T15:00:00Z'],
        ['1 Main St, Page, AZ 86040', '11/30/2036 3:00 PM'],
        ['1 Main St, Fayetteville, NC 28397', '11/30/2036 3:00 PM'],
      ],
      '--us-times',
      'store',
    )
    const remedy = (zip: string, zone: string) =>
      `say which: --us-times ${zone}, or "zones": {"${zip}": "${zone}"} in the map file`
    expect(said.map((text) => text.replace(/^.*\(column "\w+"\): /, ''))).toEqual([
      `57601 lies in two zones: "11/30/2036 3:00 PM" is 2036-11-30T21:00Z (America/Chicago) or 2036-11-30T22:00Z (America/Denver); ${remedy('57601', 'America/Chicago')}`,
      `the zone of 42799 is not known, and ZIP codes beside it have several: "11/30/2036 3:00 PM" is 2036-11-30T20:00Z (America/New_York) or 2036-11-30T21:00Z (America/Chicago); ${remedy('42799', 'America/New_York')}`,
      `the zone of 34312 is not known from the address; ${remedy('34312', 'America/New_York')}`,
      'the ZIP code 37042 is in TN, not in KY',
      `86040 lies in two zones: "7/15/2036 3:00 PM" is 2036-07-15T22:00Z (America/Phoenix) or 2036-07-15T21:00Z (America/Denver); ${remedy('86040', 'America/Phoenix')}`,
      '"11/2/2036 1:30 AM" comes twice in America/New_York, because clocks are changed: it could be 2036-11-02T05:30Z or 2036-11-02T06:30Z',
      '2036-11-30T15:00:00Z',
      '2036-11-30T22:00:00.000Z',
      '2036-11-30T20:00:00.000Z',
    ])
  })

  it('reads what can mean one time only, and says how to write what can mean none or several, with all of its row', async () => {
    const said = async (when: string, phone = '+19105550101', note = '') => {
      const file = join(cli.home, `loose-${Math.random()}.csv`)
      writeFileSync(file, `Order,When,Phone,Note,Tip\nL-1,"${when}",${phone},${note},${note && 'much'}\n`)
      const columns = 'Order=clientOrderReference,When=timeWindows.dropoff,Phone=dropoff.contactPhone'
      const more = ',Note=dropoff.instructions,Tip=tipAmountCents'
      const fixed = ['--to', '1 Hay St, Fayetteville, NC 28301', '--store', 'STORE-001', '--name', 'Ann']
      const words = ['deliveries', 'create', '--file', file, '--map', columns + more, '--us-times', 'store', '-n']
      const { stdout, stderr } = await cli.run([...words, ...fixed, '-o', 'ndjson'], {
        nowMs: () => Date.parse('2036-01-02T00:00:00Z'),
      })
      const { body, error } = JSON.parse(stdout)
      const { deliveryMode, dropoff } = body?.timeWindows ?? {}
      const time = [dropoff?.start, dropoff?.end]
        .map((end) => end && new Date(end).toISOString().slice(0, 16))
        .join('/')
      return error === null ? [dropoff === undefined ? deliveryMode : time] : [error.message, error.hint, stderr]
    }
    const read: [string, string][] = [
      ['ASAP', 'asap'],
      ['As soon as possible', 'asap'],
      ['a.s.a.p.', 'asap'],
      ['Thu 5-7pm', '2036-01-03T22:00/2036-01-04T00:00'],
      ['Friday, 10am - noon', '2036-01-04T15:00/2036-01-04T17:00'],
      ['30-Jan 17:00-19:00', '2036-01-30T22:00/2036-01-31T00:00'],
      ['Jan 30th 5:30-6 PM', '2036-01-30T22:30/2036-01-30T23:00'],
      ['Wednesday, 1/30 5:30p-6p', '2036-01-30T22:30/2036-01-30T23:00'],
      ['1/30/2036 11:30-1', '2036-01-30T16:30/2036-01-30T18:00'],
      ['1/30/2036 9-5', '2036-01-30T14:00/2036-01-30T22:00'],
      ['30 Jan 11:30-1', '2036-01-30T16:30/2036-01-30T18:00'],
      ['1/30/2036 noon-2 PM', '2036-01-30T17:00/2036-01-30T19:00'],
      ['2036-01-30 3-5 PM', '2036-01-30T20:00/2036-01-30T22:00'],
      // The other half of the day would end these before they begin.
      ['1/30/2036 11am-1', '2036-01-30T16:00/2036-01-30T18:00'],
      ['1/30/2036 5:30 PM - 7', '2036-01-30T22:30/2036-01-31T00:00'],
      ['1/30/2036 11 AM to 12', '2036-01-30T16:00/2036-01-30T17:00'],
      // The clocks that a window or a time names go before the store's.
      ['1/30/2036 5:00 PM - 7:00 PM CST', '2036-01-30T23:00/2036-01-31T01:00'],
      ['1/30/2036 5-7 PM (CT)', '2036-01-30T23:00/2036-01-31T01:00'],
      ['7/30/2036 5 PM CT to 7 PM CT', '2036-07-30T22:00/2036-07-31T00:00'],
      ['7/30/2036 5-7 PM Pacific Time', '2036-07-31T00:00/2036-07-31T02:00'],
      ['7/30/2036 5 PM MST', '2036-07-31T00:00/'],
      ['7/30/2036 5 PM America/Chicago', '2036-07-30T22:00/'],
      ['1/30/2036 5:00:00 PM -06:00', '2036-01-30T23:00/'],
      ['1/30/2036 5:00 PM GMT-6', '2036-01-30T23:00/'],
      ['1/30/2036 10:00 PM UTC', '2036-01-30T22:00/'],
      // As PostgreSQL, Go, Java, JavaScript and mail print a moment.
      ['2036-01-30 23:00:00+00', '2036-01-30T23:00/'],
      ['2036-01-30 03:00:00.123456-06', '2036-01-30T09:00/'],
      ['2036-01-30 03:00:00-06:00', '2036-01-30T09:00/'],
      ['2036-01-30T17:00-06:00', '2036-01-30T23:00/'],
      ['2036-01-30T23:00Z', '2036-01-30T23:00/'],
      ['2036-01-30 17:00:00 -0600 CST', '2036-01-30T23:00/'],
      ['Wed Jan 30 17:00:00 CST 2036', '2036-01-30T23:00/'],
      ['Wed Jan 30 2036 17:00:00 GMT-0600 (Central Standard Time)', '2036-01-30T23:00/'],
      ['Wed, 30 Jan 2036 23:00:00 GMT', '2036-01-30T23:00/'],
      ['2036-01-30T17:00-19:00', '2036-01-30T22:00/2036-01-31T00:00'],
      ['1/31/2036 11 PM - 1 AM', '2036-02-01T04:00/2036-02-01T06:00'],
      ['1/31/2036 11 PM - 1 AM CST', '2036-02-01T05:00/2036-02-01T07:00'],
      ['Thu 10:30p-12a', '2036-01-04T03:30/2036-01-04T05:00'],
      ['31 Jan 23:00-01:00', '2036-02-01T04:00/2036-02-01T06:00'],
      ['2036-01-30 22:00 - 00:00', '2036-01-31T03:00/2036-01-31T05:00'],
      ['1/30/2036 9 PM to midnight', '2036-01-31T02:00/2036-01-31T05:00'],
      ['1/30/2036 12 AM - 2 AM', '2036-01-30T05:00/2036-01-30T07:00'],
      // On the night on which clocks are changed the window is an hour longer.
      ['11/1/2036 11 PM - 3 AM', '2036-11-02T03:00/2036-11-02T08:00'],
    ]
    for (const [when, time] of read) expect(await said(when), when).toEqual([time])
    const refused: [string, string][] = [
      ['1/30/2036 after 3', 'It is not a window: write both ends'],
      ['by 5 PM', 'It is not a window: write both ends'],
      ['Saturday morning', 'Write its date'],
      ['1/30/2036 morning', 'Write its hours'],
      ['1/30/2036', 'It has no time of day'],
      ['11:30-1', 'It has no date'],
      ['3 PM', 'It has no date'],
      ['noon', 'It has no date'],
      ['tomorrow 5-7pm', 'Write its date'],
      ['Tue 5-7pm', 'Write its date'],
      ['Wed 5-7pm', 'Write its date'],
      ['Thu 5-7', 'Write both, such as'],
      ['1/7 5-7pm', 'Write its year'],
      ['29-Nov 17:00-19:00', 'Write its year'],
      ['1/30/2036 midnight', 'Write 12:00 AM for the beginning'],
      ['1/30/2036 9am-11', 'Write 5-7 PM'],
      [`1/30/2036 ${'1 '.repeat(90_000)}`, 'Write it as'],
      ['7/30/2036 5-7 PM EST', 'Write ET for what clocks show'],
      ['1/30/2036 5 PM PDT', 'Write PT for what clocks show'],
      ['3/9/2036 2:30 AM ET', 'Give it in UTC'],
    ]
    for (const [when, hint] of refused) expect((await said(when))[1], when).toContain(hint)
    for (const when of ['1/30/2036 5 PM - 3 PM', '1/30/2036 8 PM - 9 AM', '1/30/2036 11 AM - 1 AM'])
      expect((await said(when))[0], when).toContain('ends before it starts')
    expect((await said('2036-01-30 17:00-05:00'))[0]).toContain(
      'write 2036-01-30 17:00:00-05:00 for the moment, 2036-01-30 17:00 - 05:00 for the window',
    )
    expect((await said('1/30/2036 3 - midnight'))[1]).toContain('24:00 for its end')
    const [message, , doubts] = await said('1/30/2036 after 3', '910 555 0101', 'CANCELLED per phone')
    expect(message).toMatch(/column Tip: "much".*\(column "When"\): "1\/30\/2036 after 3".*\(column "Phone"\)/)
    expect(doubts).toContain('"CANCELLED per phone" says that the order was called off')
    expect(doubts).not.toContain('the window has only a start')
  })

  it('takes the zones of a map file, which have to exist', async () => {
    const file = join(cli.home, 'zones.json')
    writeFileSync(file, JSON.stringify({ usTimes: 'store', zones: { '57601': 'America/Denver' } }))
    const rows = [['1 Main St, Mobridge, SD 57601', '11/30/2036 3:00 PM']] as const
    expect((await read(rows, '--map-file', file)).said).toEqual(['2036-11-30T22:00:00.000Z'])
    expect((await read(rows, '--us-times', 'America/Chicago')).said).toEqual(['2036-11-30T21:00:00.000Z'])
    const wrong: [Record<string, string>, string][] = [
      [{ '57601': 'Mountain' }, 'zones: 57601: \\"Mountain\\" is not a time zone.'],
      [{ '576': 'America/Denver' }, 'is not a ZIP code of five digits'],
    ]
    for (const [zones, message] of wrong) {
      writeFileSync(file, JSON.stringify({ usTimes: 'store', zones }))
      const words = ['deliveries', 'create', '--file', file, '--map-file', file, ...order]
      expect(await cli.run(words)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(message) })
    }
  })

  it('reads --window in the zone of the store, and refuses an hour that this machine has twice', async () => {
    const windowOf = async (address: string, window: string, ...flags: string[]) => {
      const words = ['deliveries', 'create', '--ref', 'W-1', '--to', address, '--window', window, ...order, ...flags]
      const { stdout, stderr } = await cli.run(words, { nowMs: () => Date.parse('2036-01-02T00:00:00Z') })
      return { window: /"start":"([^"]+)","end":"([^"]+)"/.exec(stdout)?.slice(1), stderr }
    }
    const killeen = '1 Main St, Killeen, TX 76541'
    const read = await windowOf(killeen, '2036-11-30 15:00/17:00', '--us-times', 'store')
    expect(read.window).toEqual(['2036-11-30T21:00:00.000Z', '2036-11-30T23:00:00.000Z'])
    expect(read.stderr).toContain('2 times read in America/Chicago.')
    const two = await windowOf('1 Main St, Mobridge, SD 57601', '2036-11-30 15:00/17:00', '--us-times', 'store')
    expect(two.stderr).toContain('57601 lies in two zones')
    const zoned = await windowOf(killeen, '2036-11-30T15:00-05:00/17:00', '--us-times', 'store')
    expect(zoned.window).toEqual(['2036-11-30T20:00:00.000Z', '2036-11-30T22:00:00.000Z'])
    const { TZ } = process.env
    process.env.TZ = 'America/New_York'
    try {
      const twice = await windowOf(killeen, '2036-11-02 01:30/2036-11-02 05:00')
      expect(twice.stderr).toContain(' comes twice in America/New_York')
      const here = await windowOf(killeen, '2036-11-30 15:00/17:00')
      expect(here.stderr).toContain(
        '3:00 PM – 5:00 PM on Sun, Nov 30 EST: that is 2:00 PM – 4:00 PM on Sun, Nov 30 in K',
      )
      expect(here.stderr).toContain('--us-times store reads it')
      const same = await windowOf('1 Hay St, Fayetteville, NC 28301', '2036-11-30 15:00/17:00')
      expect([same.window?.[0], same.stderr]).toEqual([
        '2036-11-30T20:00:00.000Z',
        expect.not.stringContaining('clock'),
      ])
      expect(twice.stderr).toContain('2036-11-02T05:30Z or 2036-11-02T06:30Z')
      const skipped = await windowOf(killeen, '2036-03-09 02:30/2036-03-09 05:00')
      expect(skipped.stderr).toContain(' does not exist in America/New_York')
    } finally {
      if (TZ === undefined) delete process.env.TZ
      else process.env.TZ = TZ
    }
  })
})
