/**
 * `npm ci` and `npm test` build, unless nothing that the build reads has changed since the last time. `dlv` is then in
 * `node_modules/.bin`, beside the Node that runs it, for whoever puts that on the PATH.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const stamp = join('node_modules', '.cache', 'dlv-built')
// Directories count too: their time changes when a file is removed.
const sources = [
  'src',
  ...globSync('src/**'),
  ...globSync('scripts/{*.js,notices/*}'),
  ...globSync('tsconfig*.json'),
  'rolldown.config.js',
  'package.json',
  'package-lock.json',
]
const changedMs = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY
const isBuilt =
  existsSync(stamp) && ['dist/bulk.js', 'dist/types', 'dist/program/dlv.cjs'].every((path) => existsSync(path))

if (!isBuilt || sources.some((path) => changedMs(path) > changedMs(stamp))) {
  const startedMs = Date.now()
  try {
    execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'pipe', shell: process.platform === 'win32' })
  } catch (error) {
    process.stderr.write(error.stdout ?? '')
    process.stderr.write(error.stderr ?? '')
    process.exit(1)
  }
  mkdirSync(dirname(stamp), { recursive: true })
  writeFileSync(stamp, '')
  console.log(`Built in ${((Date.now() - startedMs) / 1_000).toFixed(1)} s.`)
}

if (process.platform !== 'win32') {
  const command = join('node_modules', '.bin', 'dlv')
  rmSync(command, { force: true })
  symlinkSync(join('..', '..', 'bin', 'run.js'), command)
}
