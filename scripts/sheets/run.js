// Sends the same forty orders from every file that real programs make of them, and compares what the service gets with what is
// meant. Prints a table of programs and formats; fails if an order differs, or is refused without a way on.
// node scripts/sheets/run.js NODE_MODULES_FOLDER [--keep FOLDER] [--only PROGRAM] [--write] [--version 'PROGRAM VERSION']…
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { isDeepStrictEqual, parseArgs, promisify } from 'node:util'
import { startSandbox } from 'dlv-cli/sandbox'
import { map, orders } from './orders.js'
import { roundTrips } from './round-trips.js'
import { documented } from './table.js'
import { writersInto } from './writers.js'

const { values: flags, positionals } = parseArgs({
  options: {
    keep: { type: 'string' },
    only: { type: 'string' },
    write: { type: 'boolean', default: false },
    version: { type: 'string', multiple: true, default: [] },
  },
  allowPositionals: true,
})
const folder = mkdtempSync(join(tmpdir(), 'dlv-sheets-'))
const mapFile = join(folder, 'map.json')
writeFileSync(mapFile, JSON.stringify(map))
const { keep } = flags
if (keep !== undefined) {
  mkdirSync(keep, { recursive: true })
  writeFileSync(join(keep, 'map.json'), `${JSON.stringify(map, null, 2)}\n`)
  writeFileSync(join(keep, 'orders.json'), `[${orders.map(({ meant }) => JSON.stringify(meant)).join(',\n')}]\n`)
}
const execute = promisify(execFile)

/** Runs dlv as a person with an empty home, far from America. */
async function dlv(words, { baseUrl, apiKey, home = mkdtempSync(join(folder, 'home-')) }) {
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    LANG: 'C.UTF-8',
    TZ: 'Asia/Kolkata',
    DLV_NO_INPUT: '1',
    DLV_BASE_URL: baseUrl,
    DLV_API_KEY: apiKey,
    DLV_ENVIRONMENT: 'sandbox',
  }
  const options = { env, maxBuffer: 64_000_000, encoding: 'buffer' }
  const done = await execute(process.execPath, ['bin/run.js', ...words], options).catch((error) => error)
  return { exitCode: done.code ?? 0, stdout: done.stdout, stderr: String(done.stderr) }
}

/** Creates the orders of a file in a service of their own, and gives what it was sent and what was refused. */
async function sent(file) {
  const bodies = []
  await using sandbox = await startSandbox({
    rateLimit: 'off',
    onRequest({ method, requestBody }) {
      if (method === 'POST') bodies.push(JSON.parse(requestBody))
    },
  })
  const words = ['deliveries', 'create', '--file', file, '--map-file', mapFile, '-o', 'json']
  const { exitCode, stdout, stderr } = await dlv(words, sandbox)
  const rows = exitCode === 2 || stdout.length === 0 ? [] : JSON.parse(stdout)
  return { exitCode, stderr, bodies, refused: rows.filter(({ error }) => error !== null) }
}

const instants = (body) => ({
  ...body,
  timeWindows: {
    ...body.timeWindows,
    dropoff: Object.fromEntries(
      Object.entries(body.timeWindows?.dropoff ?? {}).map(([name, time]) => [name, new Date(time).toISOString()]),
    ),
  },
})

/** Whether a refusal says on which line, and more than a code: what is there and what to do. */
const isHelpful = ({ line, error: { message, hint } }) => line !== undefined && `${message} ${hint ?? ''}`.length > 60

/** The places in which two values differ, with both. */
function differences(is, meant, path = '') {
  if (isDeepStrictEqual(is, meant)) return []
  const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)
  if (!isObject(is) || !isObject(meant)) return [`${path}: ${JSON.stringify(is)}, meant ${JSON.stringify(meant)}`]
  const names = [...new Set([...Object.keys(is), ...Object.keys(meant)])]
  return names.flatMap((name) => differences(is[name], meant[name], path === '' ? name : `${path}.${name}`))
}

/** What became of a file: a short text, what to do, examples of what was refused, and what is wrong. */
function judge({ exitCode, stderr, bodies, refused }) {
  if (exitCode === 2) {
    const { message, hint = '' } = JSON.parse(stderr.trim().split('\n').at(-1)).error
    const isWrong = bodies.length > 0 || hint === ''
    const whole = nameless(message)
    const wrong = isWrong ? [message] : []
    return { text: `refused: ${whole}`, remarks: [nameless(hint)], wrong, equal: 0, refusals: [], whole }
  }
  const wrong = bodies.flatMap((body) => {
    const order = orders.find(({ meant }) => meant.clientOrderReference === body.clientOrderReference)
    const differing = differences(instants(body), order?.meant)
    return differing.length === 0 ? [] : [`${body.clientOrderReference}: ${differing.join('; ')}`]
  })
  const equal = bodies.length - wrong.length
  const rows = bodies.length + refused.length
  if (rows !== orders.length) wrong.push(`${rows} rows`)
  wrong.push(
    ...refused.filter((row) => !isHelpful(row)).map(({ error }) => `refused without a remedy: ${error.message}`),
  )
  // One of each kind.
  const kinds = refused.map(({ line, error }) => [
    error.message.replace(/.*?column/, 'column').replace(/".*?"/g, '…'),
    /line \d|![A-Z]/.test(error.message) ? error.message : `line ${line}: ${error.message}`,
  ])
  const text = `${equal} equal${refused.length > 0 ? `, ${refused.length} refused` : ''}`
  const refusals = refused.map(({ error }) => nameless(error.message))
  return { text, remarks: [...new Map(kinds).values()], wrong, equal, refusals }
}

const nameless = (text) => text.replaceAll(/\S*dlv-sheets-\w+\/[^/ ]+\/(?=\S)/g, '')

let failed = 0
const results = []
/** Prints a row of the table. */
function say(program, format, { text, remarks, wrong }) {
  if (wrong.length > 0) failed++
  console.log(`${program.padEnd(12)}${format.padEnd(14)}${wrong.length > 0 ? `${wrong.length} WRONG, ` : ''}${text}`)
  for (const remark of remarks.slice(0, 4)) console.log(`${' '.repeat(26)}${remark}`)
  for (const message of wrong.slice(0, 6)) console.error(`  ${program} ${format}: ${message}`)
}

try {
  const writers = writersInto(folder, positionals[0])
  for (const write of ['excelJs', 'libreOffice', 'gnumeric', 'sheetJs', 'xlsxWriter', 'csvkit', 'miller'])
    for (const { program, format, file } of await writers[write]()) {
      if (flags.only !== undefined && flags.only !== program) continue
      const result = judge(await sent(file))
      results.push({ program, format, ...result })
      say(program, format, result)
    }
  if (flags.only === undefined && !documented(results, flags.version, flags.write)) {
    failed++
    console.error('The table in docs/guides/bulk.md is another one: .ci/sheets --write writes it.')
  }
  for (const { name, format, ...result } of await roundTrips({ folder, mapFile, keep }, dlv, writers.convert))
    say(name, format, result)
  if (keep !== undefined) writers.keepIn(keep)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
if (failed > 0) console.error(`${basename(import.meta.filename)}: ${failed} are not as they are meant.`)
process.exitCode = failed > 0 ? 1 : 0
