// What dlv writes for a spreadsheet, opened and saved by LibreOffice and read by dlv again: every value has to be the same.
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { readRows } from 'dlv-cli/bulk'
import { startSandbox } from 'dlv-cli/sandbox'
import { z } from 'zod'

const anyRow = z.record(z.string(), z.unknown())

/** The rows of a file, each with its values by column. */
async function rowsOf(file) {
  const rows = []
  const options = { schema: anyRow, what: file, hiddenRows: /\.(?:xlsx|ods)$/.test(file) ? 'read' : undefined }
  for await (const batch of readRows([readFileSync(file)], options)) rows.push(...batch)
  // A sheet shows the seconds of a time, and truth values in capitals.
  const whole = (value) =>
    JSON.parse(
      JSON.stringify(value)
        .replace(/(\d{4}-\d\d-\d\d \d\d:\d\d):00"/g, '$1"')
        .replace(/:"(?:TRUE|FALSE)"/g, (truth) => truth.toLowerCase()),
    )
  return rows.map((row) => ('value' in row ? whole(row.value) : row.problem))
}

/** How LibreOffice opens and saves a format: text as UTF-8 with this separator. */
const filters = {
  csv: { input: 'CSV:44,34,76', output: 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,true' },
  tsv: { input: 'CSV:9,34,76', output: 'csv:Text - txt - csv (StarCalc):9,34,76,1,,0,false,true,true' },
  xlsx: { output: 'xlsx' },
  ods: { output: 'ods' },
}

/**
 * Creates orders in a service of their own and lets dlv write them in each of its formats.
 *
 * @param keep where files are kept that show it
 * @param dlv runs a command for an account
 * @param convert opens a file with LibreOffice and saves it
 */
export async function roundTrips({ folder, mapFile, keep }, dlv, convert) {
  await using sandbox = await startSandbox({ rateLimit: 'off' })
  const [results, rejects] = [join(folder, 'results.ndjson'), join(folder, 'rejected.csv')]
  const home = join(folder, 'home-of-round-trips')
  const run = (...words) => dlv(words, { ...sandbox, home })
  const source = ['--file', join(folder, 'exceljs', 'orders.xlsx'), '--map-file', mapFile]
  await run('deliveries', 'create', ...source, '--results', results)
  // The same orders with ZIP codes that have lost their zeros: those are refused.
  const lossy = ['--file', join(folder, 'exceljs', 'comma.csv'), '--map-file', mapFile]
  await run('deliveries', 'create', ...lossy, '--results', join(folder, 'lossy.ndjson'), '--rejects', rejects)
  const { stdout } = await run('deliveries', 'list', '--from', '1d', '-q')
  const ids = String(stdout).trim().split('\n')
  const outputs = {
    list: ['deliveries', 'list', '--from', '1d'],
    get: ['deliveries', 'get', ...ids],
    results: ['deliveries', 'results', '--results', results],
    report: ['report', '--from', '1d'],
    query: ['query', 'SELECT * FROM deliveries'],
  }
  const made = []
  for (const [name, words] of Object.entries(outputs))
    for (const format of ['csv', 'tsv', 'xlsx']) {
      const file = join(folder, `${name}.${format}`)
      writeFileSync(file, (await run(...words, '-o', format)).stdout)
      for (const saved of format === 'xlsx' ? ['xlsx', 'ods'] : [format])
        made.push({
          name,
          format: format === saved ? format : `${format} → ${saved}`,
          ...(await resaved(name, file, saved)),
        })
    }
  made.push({ name: 'rejects', format: 'csv', ...(await resaved('rejects', rejects, 'csv')) })
  return made

  async function resaved(name, file, format) {
    const target = join(folder, 'saved', `${name}.${format}`)
    const { input, output } = filters[format]
    convert(file, output, target, input)
    const [before, after] = [await rowsOf(file), await rowsOf(target)]
    const wrong = before.flatMap((row, at) =>
      isDeepStrictEqual(row, after[at]) ? [] : [`${JSON.stringify(row)} became ${JSON.stringify(after[at])}`],
    )
    if (keep !== undefined && name === 'get') {
      copyFileSync(file, join(keep, basename(file)))
      copyFileSync(target, join(keep, `saved-${basename(target)}`))
    }
    if (before.length === 0 || before.length !== after.length)
      wrong.push(`${before.length} rows became ${after.length}`)
    if (['list', 'get', 'results', 'query'].includes(name)) {
      const named = async (words) =>
        JSON.parse((await run(...words, '-o', 'json')).stdout).flatMap(({ deliveryId }) => deliveryId ?? [])
      const cancelled = await named(['deliveries', 'cancel', '--file', target, '--dry-run'])
      if (!isDeepStrictEqual(new Set(cancelled), new Set(ids))) wrong.push('cancel --file reaches other deliveries')
      if (name === 'get') {
        const { exitCode } = await run('deliveries', 'update', '--file', target, '--dry-run')
        if (exitCode !== 0) wrong.push('update --file refuses rows')
      }
    }
    return { text: `${before.length} rows equal`, remarks: [], wrong }
  }
}
