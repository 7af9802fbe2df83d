/**
 * `npm run package`: programs that need no Node on the machine, in `dist-standalone/`.
 *
 * Each is a Node executable of the version that the project develops with, and the whole command line inside it as one
 * script. The host's own program carries compiled code as well, so that it starts faster; code compiled here would be
 * of no use to another platform. Node's executables come out of the registry's packages `node-<platform>-<arch>`.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { commandModules } from '../command-modules.js'
import { lazyBuiltIns, lazyHttp2, lazyOclif } from '../lazy-requires.js'
import { thirdPartyNotices } from '../third-party-notices.js'
import { buildDebianPackage } from './debian.js'

const out = 'dist-standalone'
const host = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
const foreign = ['linux-x64', 'linux-arm64', 'win-x64'].filter((target) => target !== host)
/** Where Node looks for the script inside itself; the value is part of its executable. */
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'

const require = createRequire(import.meta.url)
const { inject } = require('postject')
const { version } = JSON.parse(readFileSync('package.json', 'utf8'))

rmSync(out, { recursive: true, force: true })
mkdirSync(out)
await bundle()
await assemble(process.execPath, join(out, process.platform === 'win32' ? 'dlv.exe' : 'dlv'), true)
if (!process.argv.includes('--host-only')) {
  for (const target of foreign) {
    const executable = fetchNode(target)
    const name = target.startsWith('win') ? `dlv-${target}.exe` : `dlv-${target}`
    await assemble(executable, join(out, name), false)
  }
}
writeCompletions()
if (process.platform === 'linux')
  buildDebianPackage({ out, version, architecture: process.arch === 'x64' ? 'amd64' : process.arch })
writeChecksums()

/** All commands in one CommonJS script: the only form of a main script that every supported Node takes. */
async function bundle() {
  const build = await rolldown({
    input: 'src/cli/standalone.ts',
    platform: 'node',
    logLevel: 'warn',
    plugins: [commandModules(), lazyOclif(), lazyHttp2(), lazyBuiltIns(), thirdPartyNotices()],
    transform: { define: { 'import.meta.url': 'undefined' } },
  })
  await build.write({ dir: out, format: 'cjs', minify: true, codeSplitting: false, entryFileNames: 'dlv.cjs' })
  await build.close()
}

/** Puts the script into a copy of a Node executable. */
async function assemble(executable, file, withCompiledCode) {
  const settings = {
    main: join(out, 'dlv.cjs'),
    output: join(out, 'dlv.blob'),
    disableExperimentalSEAWarning: true,
    useCodeCache: withCompiledCode,
  }
  writeFileSync(join(out, 'sea.json'), JSON.stringify(settings))
  execFileSync(process.execPath, ['--experimental-sea-config', join(out, 'sea.json')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  copyFileSync(executable, file)
  chmodSync(file, 0o755)
  await quietly(() => inject(file, 'NODE_SEA_BLOB', readFileSync(settings.output), { sentinelFuse: fuse }))
  for (const leftover of ['sea.json', 'dlv.blob']) rmSync(join(out, leftover))
}

/** The injector prints notes about sections that it passes over. */
async function quietly(work) {
  const { log, warn } = console
  console.log = console.warn = () => {}
  try {
    await work()
  } finally {
    Object.assign(console, { log, warn })
  }
}

function fetchNode(target) {
  const folder = mkdtempSync(join(tmpdir(), 'dlv-node-'))
  const nodeVersion = process.versions.node
  execFileSync('npm', ['pack', '--silent', '--pack-destination', folder, `node-${target}@${nodeVersion}`], {
    stdio: 'ignore',
  })
  const archive = readdirSync(folder).find((name) => name.endsWith('.tgz'))
  execFileSync('tar', ['-xzf', join(folder, archive), '-C', folder])
  return join(folder, 'package', 'bin', target.startsWith('win') ? 'node.exe' : 'node')
}

/** The completion file of each shell, as the program itself prints it. */
function writeCompletions() {
  mkdirSync(join(out, 'completions'))
  const files = { bash: 'dlv.bash', zsh: '_dlv', fish: 'dlv.fish', powershell: 'dlv.ps1' }
  for (const [shell, name] of Object.entries(files)) {
    writeFileSync(join(out, 'completions', name), execFileSync(process.execPath, ['bin/run.js', 'completion', shell]))
  }
}

function writeChecksums() {
  const programs = readdirSync(out, { withFileTypes: true }).filter(
    (entry) => entry.isFile() && entry.name !== 'dlv.cjs',
  )
  const lines = programs.map(
    ({ name }) =>
      `${createHash('sha256')
        .update(readFileSync(join(out, name)))
        .digest('hex')}  ${name}`,
  )
  writeFileSync(join(out, 'SHA256SUMS'), `${lines.sort().join('\n')}\n`)
}
