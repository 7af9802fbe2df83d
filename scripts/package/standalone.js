/**
 * `npm run package` writes programs that need no Node to `dist-standalone/`.
 *
 * Each is a Node executable of the version that the project develops with, containing the chunks of `dist/program` as
 * npm installs them. The host's programs also contain their compiled code, so that they start faster; it does not work
 * on another platform. Node's executables come from the npm packages
 * `node-<platform>-<arch>`, each by the hash in `node-pins.js`. On Linux there are a Debian package and an OCI image layout as well.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, sep } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { Script } from 'node:vm'
import { cpeOf } from '../sbom.js'
import { buildDebianPackage } from './debian.js'
import { buildImage } from './image.js'
import { foreignLibraries, hostLibraries } from './libraries.js'
import { assertPinned } from './node-pins.js'

const out = 'dist-standalone'
const program = join('dist', 'program')
const manifest = 'oclif.manifest.json'
/** Its text runs in a thread. */
const worker = 'jq-worker.cjs'
const chunkFolder = join(out, 'chunks')
const host = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
const foreign = ['linux-x64', 'linux-arm64', 'win-x64'].filter((target) => target !== host)
/** Marks where Node looks for the script inside itself; the value is part of its executable. */
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'

/** What Debian and OCI call an architecture of Node's. */
const debianName = (arch) => (arch === 'x64' ? 'amd64' : arch)

const require = createRequire(import.meta.url)
const { inject } = require('postject')
const { version } = JSON.parse(readFileSync('package.json', 'utf8'))

// The modes of what is packed depend on nobody's settings.
process.umask(0o022)
rmSync(out, { recursive: true, force: true })
mkdirSync(out)
writeFileSync(join(out, 'THIRD-PARTY-NOTICES.txt'), notices())
writeFileSync(join(out, 'sbom.cdx.json'), billOfMaterials())
const [chunks, compiled] = chunkAssets()
assertPinned(host, process.versions.node, process.execPath)
await assemble(process.execPath, join(out, process.platform === 'win32' ? 'dlv.exe' : 'dlv'), true)
if (!process.argv.includes('--host-only')) {
  for (const target of foreign) {
    const { executable } = fetchNode(target)
    const name = target.startsWith('win') ? `dlv-${target}.exe` : `dlv-${target}`
    await assemble(executable, join(out, name), false)
  }
}
writeCompletions()
if (process.platform === 'linux') await buildForLinux()
rmSync(chunkFolder, { recursive: true })
writeChecksums()

/** The licences of what the programs contain: of the bundled packages, and of Node with its libraries. */
function notices() {
  const nodeFolder = join(dirname(process.execPath), '..')
  const [licence] = globSync(['LICENSE', `node_modules/node-${host}/LICENSE`], { cwd: nodeFolder })
  const ofNode = readFileSync(licence === undefined ? fetchNode(host).licence : join(nodeFolder, licence), 'utf8')
  const bundled = readFileSync(join(program, 'THIRD-PARTY-NOTICES.txt'), 'utf8')
  return `${bundled}\n${'-'.repeat(78)}\n\nNode.js ${process.versions.node}\n\n${ofNode}`
}

/** The bill of materials of the bundled packages, with Node and the libraries that are compiled into it. */
function billOfMaterials() {
  const bom = JSON.parse(readFileSync(join(program, 'sbom.cdx.json'), 'utf8'))
  const { node, ...others } = process.versions
  const component = (name, version) => ({
    type: 'library',
    'bom-ref': `pkg:generic/${name}@${version}`,
    name,
    version,
    cpe: cpeOf(name, version),
    purl: `pkg:generic/${name}@${version}`,
  })
  const compiled = [
    'ada',
    'ares',
    'brotli',
    'llhttp',
    'nghttp2',
    'openssl',
    'simdjson',
    'sqlite',
    'uv',
    'v8',
    'zlib',
    'zstd',
  ]
  const ofNode = compiled.flatMap((name) => (others[name] === undefined ? [] : [component(name, others[name])]))
  bom.components.push(component('node', node), ...ofNode)
  return `${JSON.stringify(bom, undefined, 2)}\n`
}

/**
 * The chunks as functions of their module, and V8's compiled code of all that is in them, even of what no command has run
 * yet: two sets of assets.
 */
function chunkAssets() {
  const [chunks, compiled] = [{}, {}]
  for (const file of globSync('**/*.cjs', { cwd: program })) {
    const name = file.replaceAll(sep, '/')
    if (name === worker) continue
    const text = `(function (exports, require, module, __filename, __dirname) {${readFileSync(join(program, file), 'utf8')}\n})`
    setFlagsFromString('--no-lazy')
    const script = new Script(text, { filename: `dlv:${name}` })
    // Compiled code is used only under the flags that it was written under.
    setFlagsFromString('--lazy')
    chunks[name] = join(chunkFolder, file)
    compiled[`${name}.compiled`] = `${chunks[name]}.compiled`
    mkdirSync(dirname(chunks[name]), { recursive: true })
    writeFileSync(chunks[name], text)
    writeFileSync(`${chunks[name]}.compiled`, script.createCachedData())
  }
  return [chunks, compiled]
}

/** Puts the script and the chunks into a copy of a Node executable. */
async function assemble(executable, file, withCompiledCode) {
  const settings = {
    main: 'scripts/package/main.cjs',
    output: join(out, 'dlv.blob'),
    disableExperimentalSEAWarning: true,
    useCodeCache: withCompiledCode,
    assets: {
      ...chunks,
      ...(withCompiledCode ? compiled : {}),
      [worker]: join(program, worker),
      'jq.wasm.br': join(program, 'jq.wasm.br'),
      'oclif.manifest.json': manifest,
    },
  }
  writeFileSync(join(out, 'sea.json'), JSON.stringify(settings))
  execFileSync(process.execPath, ['--experimental-sea-config', join(out, 'sea.json')], {
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  copyFileSync(executable, file)
  chmodSync(file, 0o755)
  await quietly(() => inject(file, 'NODE_SEA_BLOB', readFileSync(settings.output), { sentinelFuse: fuse }))
  for (const leftover of ['sea.json', 'dlv.blob']) rmSync(join(out, leftover))
}

/** The Debian packages and the image: of this machine's architecture and, unless it is told not to, of the others. */
async function buildForLinux() {
  const plain = join(out, 'dlv.image')
  await assemble(process.execPath, plain, false)
  await buildDebianPackage({ out, program: join(out, 'dlv'), version, architecture: debianName(process.arch) })
  const programs = [{ architecture: debianName(process.arch), program: plain, libraries: hostLibraries(plain) }]
  const folder = mkdtempSync(join(tmpdir(), 'dlv-libraries-'))
  for (const target of foreign.filter((name) => name.startsWith('linux') && existsSync(join(out, `dlv-${name}`)))) {
    const architecture = debianName(target.replace('linux-', ''))
    const program = join(out, `dlv-${target}`)
    await buildDebianPackage({ out, program, version, architecture })
    try {
      programs.push({ architecture, program, libraries: foreignLibraries(architecture, folder) })
    } catch (error) {
      console.error(`The image is without ${architecture}: its libraries are not available. ${error.message}`)
    }
  }
  const [notices, sbom] = ['THIRD-PARTY-NOTICES.txt', 'sbom.cdx.json'].map((name) => join(out, name))
  buildImage({ out: join(out, 'image'), programs, notices, sbom, version })
  rmSync(folder, { recursive: true })
  rmSync(plain)
}

/** Silences the injector, which prints notes about sections that it skips. */
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
  const unpacked = join(folder, 'package')
  const executable = join(unpacked, 'bin', target.startsWith('win') ? 'node.exe' : 'node')
  assertPinned(target, nodeVersion, executable)
  return { executable, licence: join(unpacked, 'LICENSE') }
}

/** Writes each shell's completion file, as the program prints it. */
function writeCompletions() {
  mkdirSync(join(out, 'completions'))
  const files = { bash: 'dlv.bash', zsh: '_dlv', fish: 'dlv.fish', powershell: 'dlv.ps1' }
  for (const [shell, name] of Object.entries(files)) {
    writeFileSync(join(out, 'completions', name), execFileSync(process.execPath, ['bin/run.js', 'completion', shell]))
  }
}

function writeChecksums() {
  const programs = readdirSync(out, { withFileTypes: true }).filter((entry) => entry.isFile())
  const lines = programs.map(
    ({ name }) =>
      `${createHash('sha256')
        .update(readFileSync(join(out, name)))
        .digest('hex')}  ${name}`,
  )
  writeFileSync(join(out, 'SHA256SUMS'), `${lines.sort().join('\n')}\n`)
}
