/**
 * `.ci/matrix`: the packed package under every package manager, module format, bundler and runtime that is available from
 * npm, under Jest's fake timers and the real msw, the checks of publint and attw, and the types under TypeScript 5.9 and 7.
 * Everything is installed into a temporary directory. Exits with 1 if a cell fails; what cannot be installed is named.
 */
import { execFile, spawn } from 'node:child_process'
import { chmodSync, copyFileSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { startSandbox } from 'dlv-cli/sandbox'
import { freePort } from '../../test/support/free-port.ts'

const project = process.cwd()
const folder = mkdtempSync(join(tmpdir(), 'dlv-matrix-'))
const execute = promisify(execFile)
const run = (file, args, options = {}) => execute(file, args, { timeout: 120_000, maxBuffer: 2 ** 26, ...options })
const rows = []
const steps = 'create, error, abort, retry, verify, receive'

const record = (cell, result) => {
  rows.push({ cell, ...result })
  console.log(`${result.isOk === undefined ? '–' : result.isOk ? '✓' : '✗'} ${cell.padEnd(34)} ${result.text}`)
}

/** Runs a cell: its output is the list of failed steps as JSON. */
async function cell(name, start, done = steps) {
  try {
    const failures = await start()
    record(name, { isOk: failures.length === 0, text: failures.length === 0 ? done : failures.join('; ') })
  } catch (error) {
    record(name, { isOk: false, text: `${error.stderr || error.message}`.trim().split('\n').slice(0, 4).join(' | ') })
  }
}

/** Something that has to be installed first; `undefined` and a row if it is not available. */
async function had(name, install) {
  try {
    return await install()
  } catch (error) {
    const why = `${error.stderr || error.message}`.trim().split('\n').at(-1)
    record(name, { isOk: undefined, text: `not available here: ${why}` })
    return undefined
  }
}

const npm = (args, cwd) => run('npm', [...args, '--silent', '--no-audit', '--no-fund'], { cwd })

function newProject(name, settings = {}) {
  const directory = join(folder, name)
  mkdirSync(directory)
  writeFileSync(
    join(directory, 'package.json'),
    JSON.stringify({ name, version: '1.0.0', type: 'module', ...settings }),
  )
  copyFileSync(join(project, 'scripts/matrix/app.js'), join(directory, 'app.js'))
  writeFileSync(
    join(directory, 'main.js'),
    "import { run } from './app.js'\nrun(...process.argv.slice(2)).then((failures) => console.log(JSON.stringify(failures)))\n",
  )
  // The same program as CommonJS, for require.
  const required = readFileSync(join(directory, 'app.js'), 'utf8')
    .replace(
      /^import \{([^}]*)\} from '([^']+)'$/gm,
      (_, names, from) => `const {${names.replaceAll(' as ', ': ')}} = require('${from}')`,
    )
    .replace('export async function', 'async function')
  writeFileSync(
    join(directory, 'main.cjs'),
    `${required}\nrun(...process.argv.slice(2)).then((failures) => console.log(JSON.stringify(failures)))\n`,
  )
  writeFileSync(
    join(directory, 'worker.js'),
    `import { run } from './app.js'
export default {
  async fetch(request) {
    const [baseUrl, apiKey] = await request.json()
    return Response.json(await run(baseUrl, apiKey))
  },
}
`,
  )
  return directory
}

async function main() {
  await npm(['pack', '--ignore-scripts', '--pack-destination', folder], project)
  const tarball = globSync('dlv-cli-*.tgz', { cwd: folder }).map((name) => join(folder, name))[0]
  const sandbox = await startSandbox({ rateLimit: 'off', keepAlive: true })
  const account = [sandbox.baseUrl, sandbox.apiKey]
  const output = async (file, args, cwd) => JSON.parse((await run(file, args, { cwd })).stdout)

  const tools = join(folder, 'tools')
  mkdirSync(tools)
  writeFileSync(join(tools, 'package.json'), '{"name":"tools","version":"1.0.0"}')
  const tool = (name, ...packages) => had(name, () => npm(['install', ...packages], tools))
  const bin = (name) => join(tools, 'node_modules', '.bin', name)

  const nodes = {}
  for (const version of ['22', '24', '26'])
    await had(`Node ${version}`, async () => {
      const directory = join(folder, `node${version}`)
      mkdirSync(directory)
      await npm(['pack', `node-linux-${process.arch}@${version}`], directory)
      await run('tar', ['-xzf', globSync('*.tgz', { cwd: directory })[0]], { cwd: directory })
      nodes[version] = join(directory, 'package', 'bin', 'node')
      chmodSync(nodes[version], 0o755)
    })

  const projects = {}
  const managers = {
    npm: (cwd) => npm(['install', tarball], cwd),
    pnpm: (cwd) => run(bin('pnpm'), ['add', tarball, '--silent', '--store-dir', join(folder, 'pnpm-store')], { cwd }),
    yarn: (cwd) =>
      run(bin('yarn'), ['add', `file:${tarball}`, '--silent', '--cache-folder', join(folder, 'yarn')], { cwd }),
  }
  await tool('pnpm', 'pnpm')
  await tool('yarn', 'yarn@1')
  for (const [name, install] of Object.entries(managers))
    await had(name, async () => {
      const directory = newProject(`with-${name}`)
      await install(directory)
      projects[name] = directory
    })

  for (const [manager, cwd] of Object.entries(projects))
    for (const [version, node] of Object.entries(nodes)) {
      await cell(`${manager}, ESM, Node ${version}`, () => output(node, ['main.js', ...account], cwd))
      await cell(`${manager}, CommonJS, Node ${version}`, () => output(node, ['main.cjs', ...account], cwd))
    }

  const cwd = projects.npm
  if (cwd === undefined) throw new Error('npm is needed for the bundlers and runtimes')
  const esbuild = join(project, 'node_modules', '.bin', 'esbuild')
  const bundlers = {
    'esbuild to CommonJS': async () => {
      await run(esbuild, ['main.js', '--bundle', '--minify', '--platform=node', '--outfile=esbuild.cjs'], { cwd })
      return 'esbuild.cjs'
    },
    'esbuild to ESM': async () => {
      await run(
        esbuild,
        ['main.js', '--bundle', '--minify', '--platform=node', '--format=esm', '--outfile=esbuild.mjs'],
        { cwd },
      )
      return 'esbuild.mjs'
    },
    'webpack, target node': () => packed('webpack', 'node'),
    'webpack, target web': () => packed('webpack', 'web'),
    rollup: async () => {
      const settings = `import resolve from '${tools}/node_modules/@rollup/plugin-node-resolve/dist/es/index.js'
        export default { input: 'main.js', output: { dir: 'rollup', format: 'es' }, plugins: [resolve({ preferBuiltins: true })] }`
      writeFileSync(join(cwd, 'rollup.config.mjs'), settings)
      await run(bin('rollup'), ['-c', 'rollup.config.mjs', '--silent'], { cwd })
      return 'rollup/main.js'
    },
    rspack: () => packed('rspack', 'node'),
  }
  async function packed(name, target) {
    const path = join(cwd, `${name}-${target}`)
    const config = {
      mode: 'production',
      target,
      entry: './main.js',
      output: { path, filename: 'main.cjs', chunkFilename: '[id].cjs' },
    }
    const file = join(cwd, `${name}-${target}.config.cjs`)
    writeFileSync(file, `module.exports = ${JSON.stringify(config)}`)
    await run(bin(name), name === 'rspack' ? ['build', '-c', file] : ['-c', file], { cwd })
    return join(`${name}-${target}`, 'main.cjs')
  }
  await tool('webpack', 'webpack@5', 'webpack-cli')
  await tool('rollup', 'rollup@4', '@rollup/plugin-node-resolve')
  await tool('rspack', '@rspack/core', '@rspack/cli')
  for (const [name, bundle] of Object.entries(bundlers)) {
    const file = await bundle().catch((error) => error)
    if (typeof file !== 'string') {
      await cell(name, () => Promise.reject(Object.assign(file, { stderr: file.stdout || file.stderr })))
      continue
    }
    for (const [version, node] of Object.entries(nodes))
      await cell(`${name}, Node ${version}`, () => output(node, [file, ...account], cwd))
  }

  if ((await tool('Bun', 'bun')) !== undefined)
    await cell('Bun', () => output(bin('bun'), ['main.js', ...account], cwd))
  if ((await tool('Deno', 'deno')) !== undefined) {
    const permissions = ['run', '--quiet', '--node-modules-dir=manual', '--allow-net']
    writeFileSync(
      join(cwd, 'deno.js'),
      "import { run } from './app.js'\nconsole.log(JSON.stringify(await run(...Deno.args)))\n",
    )
    await cell('Deno, --allow-net alone', () => output(bin('deno'), [...permissions, 'deno.js', ...account], cwd))
  }
  if ((await tool('workerd', 'workerd')) !== undefined)
    await cell('workerd, without nodejs_compat', () => inWorkerd(cwd, esbuild, bin('workerd'), account))

  await testTools(tarball)
  await checks(tarball, tool, bin)
  await types(cwd, tool)
  await sandbox.close()
}

async function inWorkerd(cwd, esbuild, workerd, account) {
  const flags = ['--bundle', '--minify', '--format=esm', '--platform=neutral', '--conditions=workerd']
  await run(esbuild, ['worker.js', ...flags, '--outfile=bundled-worker.js'], { cwd })
  const port = await freePort()
  writeFileSync(
    join(cwd, 'workerd.capnp'),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (modules = [(name = "worker", esModule = embed "bundled-worker.js")], compatibilityDate = "2025-01-01", globalOutbound = "net")),
    (name = "net", network = (allow = ["private", "public"]))
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")]
);
`,
  )
  const child = spawn(workerd, ['serve', 'workerd.capnp'], { cwd, stdio: ['ignore', 'ignore', 'inherit'] })
  try {
    for (let tries = 0; ; tries++) {
      try {
        const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: JSON.stringify(account) })
        return response.ok ? await response.json() : [await response.text()]
      } catch (error) {
        if (tries === 50) throw error
        await new Promise((wait) => setTimeout(wait, 100))
      }
    }
  } finally {
    child.kill()
  }
}

/** Jest's fake timers and msw, each in a project of its own. */
async function testTools(tarball) {
  const opened = async (name, ...packages) =>
    had(name, async () => {
      const directory = newProject(name)
      await npm(['install', '--ignore-scripts', tarball, ...packages], directory)
      for (const file of globSync('*.{js,mjs,ts}', { cwd: join(project, 'scripts/matrix') }))
        copyFileSync(join(project, 'scripts/matrix', file), join(directory, file))
      return directory
    })
  const jest = await opened('jest', 'jest@30')
  if (jest !== undefined)
    await cell(
      'Jest, its fake timers',
      async () => {
        const env = { ...process.env, NODE_OPTIONS: '--experimental-vm-modules --no-warnings' }
        await run('node_modules/.bin/jest', ['--testMatch', '**/jest.test.mjs'], { cwd: jest, env })
        return []
      },
      'create, retry, wait, steer, receive',
    )
  const msw = await opened('msw', 'msw@2', '@types/node@22')
  if (msw === undefined) return
  await cell(
    'msw',
    async () => JSON.parse((await run(process.execPath, ['msw.ts'], { cwd: msw })).stdout),
    'create, get, list, error, retry, receive',
  )
  const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--skipLibCheck']
  const compiler = resolve(project, 'node_modules/typescript/bin/tsc')
  await verdict('types of msw', () =>
    run(process.execPath, [compiler, ...flags, '--types', 'node', 'msw.ts'], { cwd: msw }),
  )
}

/** publint and attw. The package is ESM only, which old resolution and CommonJS types cannot know: that is explained. */
async function checks(tarball, tool, bin) {
  if ((await tool('publint', 'publint')) !== undefined)
    await verdict('publint', () => run(bin('publint'), [tarball, '--strict']))
  if ((await tool('attw', '@arethetypeswrong/cli')) !== undefined)
    await verdict('attw, ESM only', () =>
      run(bin('attw'), [tarball, '--profile', 'esm-only', '--no-emoji', '--format', 'ascii']),
    )
}

/** The mistakes and the uses of test/library/typing under both compilers, every declaration checked. */
async function types(cwd, tool) {
  const flags = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--module', 'nodenext', '--target', 'es2022']
  for (const name of ['mistakes.ts', 'uses.ts'])
    copyFileSync(join(project, 'test/library/typing', name), join(cwd, name))
  await npm(['install', '--no-save', `@types/node@22`], cwd)
  const old = await tool('TypeScript 5.9', 'typescript@5.9')
  const compilers = {
    ...(old === undefined ? {} : { 5.9: join(folder, 'tools/node_modules/typescript/bin/tsc') }),
    7: resolve(project, 'node_modules/typescript/bin/tsc'),
  }
  for (const [version, compiler] of Object.entries(compilers))
    await verdict(`types, TypeScript ${version}`, () =>
      run(process.execPath, [compiler, ...flags, '--types', 'node', 'mistakes.ts', 'uses.ts'], { cwd }),
    )
}

async function verdict(name, check) {
  try {
    await check()
    record(name, { isOk: true, text: 'no finding' })
  } catch (error) {
    record(name, { isOk: false, text: `${error.stdout}${error.stderr}`.trim() || error.message })
  }
}

try {
  await main()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
const failed = rows.filter(({ isOk }) => isOk === false)
console.log(
  `${rows.filter(({ isOk }) => isOk).length} cells work, ${failed.length} fail, ${rows.filter(({ isOk }) => isOk === undefined).length} not available.`,
)
process.exitCode = failed.length > 0 ? 1 : 0
