import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createCli } from '../../support/cli/program.js'

const door = '418 Ramsey St, Fayetteville, NC 28301'
const dana = { contactName: 'Dana Whitfield', contactPhone: '+19105550147', address: door }
const jordan = { contactName: 'SPC Jordan Reyes', contactPhone: '+19105550162' }
const onPost = 'SPC Jordan Reyes,9105550162,FTBRAGG,Longstreet Road ACP,4-2274,214'
const place = ',Ardennes St,Fort Bragg,NC,28310'

/** Sheets that name several people or places, with the dropoff that is meant, for each row. */
const sheets: readonly { name: string; text: string; meant: Record<string, unknown>[] }[] = [
  {
    name: 'a restaurant before its customer',
    text: `Order ID,Restaurant Name,Restaurant Phone,Restaurant Address,Customer Name,Customer Phone,Customer Address\nP-1,Diner,9105550199,"1 Diner Rd, Fayetteville, NC 28301",Dana Whitfield,9105550147,"${door}"\n`,
    meant: [dana],
  },
  {
    name: 'who sends before who receives, in parts',
    text: 'Order,Shipper Name,Shipper Phone,Shipper Address,Shipper City,Shipper Zip,Consignee Name,Consignee Phone,Consignee Address,Consignee City,Consignee State,Consignee Zip\nP-1,Hay Co,9195550111,1 Ship Rd,Raleigh,27601,Dana Whitfield,9105550147,418 Ramsey St,Fayetteville,NC,28301\n',
    meant: [dana],
  },
  {
    name: 'From and To',
    text: `Order,From Name,From Phone,From Address,To Name,To Phone,To Address\nP-1,Lab,9105550199,"1 Lab Rd, Fayetteville, NC 28301",Dana Whitfield,9105550147,"${door}"\n`,
    meant: [dana],
  },
  {
    name: 'a pharmacy, a doctor and a patient',
    text: 'Order,Pharmacy Address,Pharmacy Phone,Prescriber Name,Prescriber Phone,Patient Name,Patient Phone,Patient Address,Patient City,Patient State,Patient Zip\nP-1,1 Rx Rd,9105550199,Dr. Who,9105550198,Dana Whitfield,9105550147,418 Ramsey St,Fayetteville,NC,28301\n',
    meant: [dana],
  },
  {
    name: 'who pays as the customer, in two names, before the recipient in one',
    text: 'Order,Customer First Name,Customer Last Name,Customer Phone,Customer Address,Recipient,Recipient Phone,Recipient Address,City,State,Zip\nP-1,Paul,Payer,9195550111,"9 Other St, Raleigh, NC 27601",Dana Whitfield,9105550147,418 Ramsey St,Fayetteville,NC,28301\n',
    meant: [dana],
  },
  {
    name: 'where mail goes before where somebody lives',
    text: 'Order,Delivery Address/Name,Phone,Mailing Address,Mailing City,Physical Address,Physical City,State,Zip\nP-1,Dana Whitfield,9105550147,PO Box 5,Raleigh,418 Ramsey St,Fayetteville,NC,28301\n',
    meant: [dana],
  },
  {
    name: 'where mail goes alone',
    text: 'Order,Name,Phone,Mailing Address,Mailing City,State,Zip\nP-1,Dana Whitfield,9105550147,418 Ramsey St,Fayetteville,NC,28301\n',
    meant: [dana],
  },
  {
    name: 'the phone of a salesperson before the own one',
    text: `Order,Sales Rep,Rep Phone,Name,Phone,Vendor Address,Address\nP-1,Sal,9105550199,Dana Whitfield,9105550147,1 Vendor Rd,"${door}"\n`,
    meant: [dana],
  },
  {
    name: 'an installation, its gate, building, room, unit and desk',
    text: `Order,Name,Phone,Base,Gate,Bldg,Room,Unit,Delivery Point,Address,City,State,Zip\nP-1,${onPost},"B Co, 2-504 PIR",CQ Desk${place}\n`,
    meant: [
      {
        ...jordan,
        address: 'Ardennes St, Fort Bragg, NC 28310',
        installation: { code: 'FTBRAGG', gate: 'Longstreet Road ACP' },
        unit: { buildingNumber: '4-2274', room: '214', unitDesignation: 'B Co, 2-504 PIR', deliveryPoint: 'cq_desk' },
      },
    ],
  },
  {
    name: 'an installation in some rows only, and N/A in others',
    text: `Order,Name,Phone,Installation,Gate,Building,Room,Address,City,State,Zip\nP-1,${onPost}${place}\nP-2,Dana Whitfield,9105550147,N/A,-,B,3,418 Ramsey St,Fayetteville,NC,28301\n`,
    meant: [
      {
        ...jordan,
        address: 'Ardennes St, 4-2274, Rm 214, Fort Bragg, NC 28310',
        installation: { code: 'FTBRAGG', gate: 'Longstreet Road ACP' },
      },
      { ...dana, address: '418 Ramsey St, Bldg B, Rm 3, Fayetteville, NC 28301' },
    ],
  },
  {
    name: 'NA, nan and None where most have nothing',
    text: `Order,Name,Phone,Address,Apt,City,State,Zip,Notes\n${['NA,NA', 'nan,None', 'n/a,--', '4,Nan is deaf'].map((cells, at) => `P-${at},Dana Whitfield,9105550147,418 Ramsey St,${cells.replace(',', ',Fayetteville,NC,28301,')}`).join('\n')}\n`,
    meant: [
      dana,
      dana,
      dana,
      { ...dana, address: '418 Ramsey St, Apt 4, Fayetteville, NC 28301', instructions: 'Nan is deaf' },
    ],
  },
]

async function mapOf(text: string) {
  const cli = createCli()
  const [file, map] = [join(cli.home, 'sheet.csv'), join(cli.home, 'map.json')]
  writeFileSync(file, text)
  const mapped = await cli.run(['deliveries', 'map', file])
  writeFileSync(map, mapped.stdout)
  return { cli, file, map, ...mapped }
}

describe('A sheet that names several people and places', () => {
  test.each(sheets)('$name: orders go to who receives', async ({ text, meant }) => {
    const { cli, file, map } = await mapOf(text)
    const words = ['--file', file, '--map-file', map, '--store', 'STORE-001', '--dry-run', '-o', 'json']
    const { stdout } = await cli.run(['deliveries', 'create', ...words])
    const rows = JSON.parse(stdout) as { outcome: string; body: { dropoff: unknown } }[]
    expect(rows.map(({ outcome, body }) => [outcome, body.dropoff])).toEqual(meant.map((one) => ['ready', one]))
  })

  test('that does not say which address is meant leaves that to a person', async () => {
    for (const names of ['Home Address,Work Address', 'Customer Address,Site Address', 'Address,Client Address']) {
      const { stdout, stderr } = await mapOf(
        `Order,Name,Phone,${names}\nP-1,Dana,9105550147,"${door}","200 Hay St, Fayetteville, NC 28301"\n`,
      )
      expect(stdout).not.toContain('dropoff.address')
      expect(stderr).toContain('are different addresses: --map "')
      expect(stderr).toContain('No column for dropoff.address')
    }
    // Two that are the same leave no doubt.
    const same = await mapOf(`Order,Name,Phone,Home Address,Work Address\nP-1,Dana,9105550147,"${door}","${door}"\n`)
    expect(same.stdout).toContain('"Home Address": "dropoff.address"')
  })

  test('has an apartment beside a whole address behind its street, and an extension where a driver reads it', async () => {
    const { cli, file, map, stderr } = await mapOf(
      `Order,Name,Phone,Ext,Address,Apt\n${[door, '418 Ramsey St\nFayetteville, NC 28301-1234', '418 Ramsey St'].map((address, at) => `P-${at},Dana,9105550147,12,"${address}",4`).join('\n')}\n`,
    )
    expect(stderr).toContain(
      '"Ext" (12) may hold what a driver needs, and is left out: --map "Ext=dropoff.instructions"',
    )
    const words = ['--file', file, '--map-file', map, '--store', 'STORE-001', '--dry-run', '-o', 'json']
    const rows = JSON.parse((await cli.run(['deliveries', 'create', ...words])).stdout)
    expect(rows.map(({ body }: { body: { dropoff: { address: string } } }) => body.dropoff.address)).toEqual([
      '418 Ramsey St, Apt 4, Fayetteville, NC 28301',
      '418 Ramsey St, Apt 4, Fayetteville, NC 28301-1234',
      '418 Ramsey St, Apt 4',
    ])
  })

  test('in JSON with objects for names is refused; braces of a person are not', async () => {
    const rows = [{ name: 'Dana' }, ['Dana'], '{Dana}', '[Dana] "D"'].map((Name, at) => ({
      Order: `P-${at}`,
      Name,
      Phone: '9105550147',
      Address: door,
    }))
    const { cli, file, map } = await mapOf(JSON.stringify(rows))
    const words = ['--file', file, '--map-file', map, '--store', 'STORE-001', '--dry-run', '-o', 'json']
    const read = JSON.parse((await cli.run(['deliveries', 'create', ...words])).stdout) as {
      body: { dropoff: { contactName: string } } | null
      error: { message: string } | null
    }[]
    expect(read.map(({ body, error }) => error?.message ?? body?.dropoff.contactName)).toEqual([
      expect.stringContaining('is an object or list of JSON, not a text'),
      expect.stringContaining('is an object or list of JSON, not a text'),
      '{Dana}',
      '[Dana] "D"',
    ])
  })

  test('has the unit of its weights in a column of their own', async () => {
    const sheet = (...rows: string[]) =>
      mapOf(
        `Order,Name,Phone,Address,Weight,Weight Unit\n${rows.map((row, at) => `P-${at},D,9105550147,"${door}",${row}`).join('\n')}\n`,
      )
    expect((await sheet('16,oz', '8,oz')).stdout).toContain('"Weight": "package.weightGrams:ounces"')
    expect((await sheet('2,LBS')).stdout).toContain('"Weight": "package.weightGrams:pounds"')
    const { stdout, stderr } = await sheet('16,oz', '2,lb')
    expect(stdout).not.toContain('weightGrams')
    expect(stderr).toContain('"Weight" is left out: its rows have different units (ounces, pounds)')
  })

  test('with tips as shares takes the amounts beside them, and says that there are none', async () => {
    const sheet = (tips: string, cells: string) =>
      mapOf(`Order,Name,Phone,Address,${tips}\nP-1,Dana,9105550147,"${door}",${cells}\n`)
    for (const name of ['Tips', 'Delivery tip', 'Gratuities'])
      expect((await sheet(name, '7.50')).stdout).toContain(`"${name}": "tipAmountCents"`)
    expect((await sheet('Tip %,Tip', '15,7.50')).stdout).toContain('"Tip": "tipAmountCents"')
    const { stdout, stderr } = await sheet('Tip (%)', '15')
    expect(stdout).not.toContain('tipAmountCents')
    expect(stderr).toContain('"Tip (%)" (15) is a share and no amount')
  })
})
