/**
 * `.ci/openapi`: the OpenAPI document in other people's tools. Two linters without a warning; the clients of
 * `docs/openapi.md`, generated, compiled and run against the sandbox as the page says; a Postman collection that newman
 * runs; Prism serving the examples. The tools are installed into a temporary directory, because nothing else needs
 * them: in the versions of `tools.json`, or with `--latest` in the newest ones. Exits with 1 if a row fails, but not where
 * the tools cannot be installed.
 */
import { execFile, spawn } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { startSandbox } from 'dlv-cli/sandbox'
import { freePort } from '../../test/support/free-port.ts'
import { isInstall, packagesOf, sectionsOf } from './page.js'
import { prepared } from './postman.js'
import { prismProgram } from './prism.js'
import tools from './tools.json' with { type: 'json' }

const project = process.cwd()
const folder = mkdtempSync(join(tmpdir(), 'dlv-openapi-'))
const own = (name) => join(project, 'node_modules', '.bin', name)
const tool = (name) => join(folder, 'node_modules', '.bin', name)
const env = {
  ...process.env,
  NO_COLOR: '1',
  ORVAL_TELEMETRY_DISABLED: '1',
  REDOCLY_TELEMETRY: 'off',
  REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
}
const run = async (file, args, more = {}, cwd = folder) => {
  const options = { cwd, timeout: 300_000, maxBuffer: 2 ** 26, env: { ...env, ...more } }
  return (await promisify(execFile)(file, args, options)).stdout
}

let failures = 0
async function row(name, check) {
  const startedMs = Date.now()
  const said = await check().then(
    (text) => ({ isOk: true, text }),
    (error) => ({ isOk: false, text: `${error.message}\n${error.stdout ?? ''}${error.stderr ?? ''}`.trim() }),
  )
  if (!said.isOk) failures++
  const seconds = ((Date.now() - startedMs) / 1_000).toFixed(1)
  console.log(`${said.isOk ? '✓' : '✗'} ${name.padEnd(28)} ${said.text} (${seconds} s)`)
}

const expectSame = (found, expected) => {
  if (found !== expected) throw new Error(`printed ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`)
}

const settings = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'esnext', '--moduleResolution', 'bundler']
const types = ['--types', 'node', '--typeRoots', join(project, 'node_modules/@types')]
/** The day of the examples, at noon where they go: stores and gates are closed at night. */
const clock = { now: () => Date.parse('2026-03-02T17:00:00Z') }
const sourceOf = (index) => `client-${index}.ts`

/** Follows a section of the page: its files, its commands, and its program, compiled strictly and run. */
async function client({ files, commands, program, output }, index) {
  for (const { name, text } of files) writeFileSync(join(folder, name), text)
  await enter(commands)
  writeFileSync(join(folder, sourceOf(index)), `${program}\nexport {}\n`)
  await run(own('tsc'), [...settings, '--ignoreConfig', ...types, sourceOf(index)])
  const bundle = `client-${index}.mjs`
  await run(own('esbuild'), [sourceOf(index), '--bundle', '--platform=node', '--format=esm', `--outfile=${bundle}`])
  const sandbox = await startSandbox({ rateLimit: 'off', clock })
  const account = { DLV_BASE_URL: sandbox.baseUrl, DLV_API_KEY: sandbox.apiKey }
  const printed = await run(process.execPath, [bundle], account)
  await sandbox.close()
  expectSame(printed, output)
  return printed.trim()
}

/** Runs the commands of a section that install nothing, with the tools of the temporary directory. */
async function enter(commands) {
  for (const command of commands.filter((line) => !isInstall(line))) {
    const [, name, ...args] = command.split(' ')
    await run(tool(name), args)
  }
}

async function redocly() {
  await run(tool('redocly'), ['lint', 'openapi.json', '--extends', 'recommended-strict'])
  return 'no error, no warning'
}

/** The document of `--3.0`: a linter, a validator, types that compile, and the routes of the page. */
async function version30({ files: [{ name, text }], output }) {
  const file = 'openapi-3.0.json'
  writeFileSync(join(folder, file), await run(process.execPath, [join(project, 'bin/run.js'), 'openapi', '--3.0']))
  await run(tool('redocly'), ['lint', file, '--extends', 'recommended-strict'])
  const parse = `require('@apidevtools/swagger-parser').validate('${file}')`
  await run(process.execPath, ['--unhandled-rejections=strict', '--input-type=commonjs', '--eval', parse])
  await run(tool('openapi-typescript'), [file, '--output', 'version-3-0.ts'])
  await run(own('tsc'), [...settings, '--ignoreConfig', 'version-3-0.ts'])
  writeFileSync(join(folder, name), text)
  expectSame(await run(process.execPath, [name]), output)
  return 'no warning, valid, types compile, openapi-backend routes and validates'
}

async function postman({ commands }) {
  await enter(commands)
  const collection = join(folder, 'collection.json')
  writeFileSync(collection, JSON.stringify(prepared(JSON.parse(readFileSync(collection, 'utf8')))))
  const sandbox = await startSandbox({ rateLimit: 'off', clock })
  const variables = { baseUrl: sandbox.baseUrl, apiKey: 'dlvk_sbx_ownedfleet' }
  const words = Object.entries(variables).flatMap(([name, value]) => ['--env-var', `${name}=${value}`])
  const report = join(folder, 'newman.json')
  const reporters = ['--reporters', 'cli,json', '--reporter-json-export', report]
  await run(tool('newman'), ['run', collection, ...words, ...reporters])
  await sandbox.close()
  const { stats, failures } = JSON.parse(readFileSync(report, 'utf8')).run
  const operations = Object.values(document().paths).flatMap((path) => Object.keys(path)).length
  if (failures.length > 0 || stats.assertions.total !== operations)
    throw new Error(`${stats.assertions.total} of ${operations} requests, ${failures.length} failures`)
  return `${stats.assertions.total} requests succeed`
}

async function prism(program) {
  const port = await freePort()
  const words = [program, 'mock', 'openapi.json', '--port', String(port)]
  const mock = spawn(process.execPath, words, { cwd: folder, stdio: 'ignore' })
  const ask = async (headers = {}) => {
    const response = await fetch(`http://127.0.0.1:${port}/deliveries/del_1`, {
      headers: { authorization: 'Bearer any', ...headers },
    })
    const body = await response.json()
    return `${response.status} ${body.status ?? body.error?.code}`
  }
  try {
    for (let attempt = 0; ; attempt++) {
      const answer = await ask().catch(() => undefined)
      if (answer !== undefined) break
      if (attempt === 600) throw new Error('Prism does not answer.')
      await wait(100)
    }
    expectSame(await ask(), '200 delivered')
    expectSame(await ask({ prefer: 'code=404, example=DELIVERY_NOT_FOUND' }), '404 DELIVERY_NOT_FOUND')
    return 'serves the examples'
  } finally {
    mock.kill()
  }
}

/** Whether the tools could be installed, in the versions that are known to work unless `--latest` is given. */
async function installed(names) {
  const isLatest = process.argv.includes('--latest')
  const missing = names.filter((name) => tools[name.replace(/(?<=.)@.*/, '')] === undefined)
  if (missing.length > 0) throw new Error(`scripts/openapi/tools.json has no version of ${missing.join(', ')}`)
  const pinned = Object.entries(tools).filter(([name]) => !name.includes('prism'))
  const packages = isLatest ? names : pinned.map(([name, version]) => `${name}@${version}`)
  const options = ['--silent', '--ignore-scripts', '--no-audit', '--no-fund']
  try {
    await run('npm', ['install', ...options, ...packages])
    console.log(`✓ tools: ${packages.join(', ')}`)
    return true
  } catch (error) {
    console.log(
      `– not available here: ${packages.join(', ')}: ${`${error.stderr || error.message}`.trim().split('\n').at(-1)}`,
    )
    return false
  }
}

async function withTools(sections) {
  const clients = [...sections.entries()].filter(([, { program }]) => program !== undefined)
  await Promise.all([
    ...clients.map(([index, section]) => row(section.title, () => client(section, index))),
    row('spectral lint', async () => {
      await run(tool('spectral'), ['lint', 'openapi.json', '--ruleset', '.spectral.json', '--fail-severity', 'hint'])
      return 'no error, no warning, no hint'
    }),
    row('OpenAPI 3.0', () => version30(sections.find(({ title }) => title === 'OpenAPI 3.0'))),
    row('Postman', () => postman(sections.find(({ title }) => title === 'Postman'))),
  ])
  await row('TypeScript 5', async () => {
    await run(tool('tsc'), [...settings, ...types, ...clients.map(([index]) => sourceOf(index))])
    return `compiles the ${clients.length} clients too`
  })
}

const document = () => JSON.parse(readFileSync(join(folder, 'openapi.json'), 'utf8'))

try {
  copyFileSync(join(project, 'dist/openapi.json'), join(folder, 'openapi.json'))
  writeFileSync(join(folder, 'package.json'), '{"name":"openapi","version":"1.0.0","type":"module"}')
  writeFileSync(join(folder, '.spectral.json'), '{"extends":["spectral:oas"]}')
  const sections = sectionsOf(join(project, 'docs/openapi.md'))
  if (
    await installed([
      ...packagesOf(sections),
      '@redocly/cli',
      '@stoplight/spectral-cli',
      '@apidevtools/swagger-parser',
      'openapi-backend',
    ])
  ) {
    await row('redocly lint', redocly)
    const program = prismProgram()
    await withTools(sections)
    await row('Prism', () => prism(program))
    await row('Prism as a proxy', async () => {
      await run(own('vitest'), ['run', 'test/sandbox/prism.test.ts'], { DLV_PRISM: program }, project)
      return 'objects to no response of the sandbox'
    })
  }
} finally {
  rmSync(folder, { recursive: true })
}
console.log(failures === 0 ? 'The OpenAPI document works in other tools.' : `${failures} failures`)
process.exit(failures === 0 ? 0 : 1)
