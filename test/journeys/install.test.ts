import { execFile, execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startHttpServer } from '../support/http-server.js'
import { createTempDir } from '../support/temp-dir.js'

const archive = `dlv-linux-${process.arch}.tar.gz`

/** A folder with a release of this platform, whose program prints its version. */
function createRelease(): string {
  const folder = join(createTempDir(), 'a release')
  mkdirSync(folder)
  writeFileSync(join(folder, 'dlv'), '#!/bin/sh\necho dlv-cli/9.8.7\n', { mode: 0o755 })
  execFileSync('tar', ['-czf', join(folder, archive), '-C', folder, 'dlv'])
  const sum = createHash('sha256')
    .update(readFileSync(join(folder, archive)))
    .digest('hex')
  writeFileSync(join(folder, 'SHA256SUMS'), `${sum}  ${archive}\n`)
  return folder
}

function createHome(): string {
  const home = join(createTempDir(), "the user's home")
  mkdirSync(home)
  return home
}

interface Ending {
  code: number
  stdout: string
  stderr: string
}

function install(words: string[], options: { env: NodeJS.ProcessEnv; uid?: number }): Promise<Ending> {
  const env = { PATH: process.env.PATH, ...options.env }
  return new Promise((resolve) => {
    execFile('sh', ['install.sh', ...words], { ...options, env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
    })
  })
}

/** What `uname` prints on another machine. */
function asOn(system: string, machine: string): string {
  const bin = createTempDir()
  const script = `#!/bin/sh\ncase $1 in -s) echo ${system} ;; *) echo ${machine} ;; esac\n`
  writeFileSync(join(bin, 'uname'), script, { mode: 0o755 })
  return `${bin}:${process.env.PATH}`
}

/** A PATH with what the script needs and, of the two ways to download, this one. */
function only(downloader: string): string {
  const bin = createTempDir()
  const tools = ['awk', 'chmod', 'cp', 'gzip', 'mkdir', 'mktemp', 'mv', 'rm', 'sh', 'sha256sum', 'tar', 'uname']
  for (const tool of [...tools, downloader])
    symlinkSync(execFileSync('sh', ['-c', 'command -v "$0"', tool], { encoding: 'utf8' }).trim(), join(bin, tool))
  return bin
}

describe.skipIf(process.platform !== 'linux')('install.sh', () => {
  it('installs into a home with a space, says what it did, and replaces an older program', async () => {
    const from = createRelease()
    const home = createHome()
    const bin = join(home, '.local', 'bin')
    const first = await install(['--from', from], { env: { HOME: home } })
    expect(first.stderr).toBe('')
    expect(first.stdout).toContain('Installed dlv-cli/9.8.7\n')
    expect(first.stdout).toContain(`${bin}/dlv, the only file`)
    expect(first.stdout).toContain(`${bin} is not in your PATH`)
    expect(execFileSync(join(bin, 'dlv'), { encoding: 'utf8' })).toBe('dlv-cli/9.8.7\n')
    expect(readdirSync(home)).toEqual(['.local'])

    writeFileSync(join(bin, 'dlv'), 'an older one')
    const second = await install(['--from', from], { env: { HOME: home, PATH: `${bin}:${process.env.PATH}` } })
    expect(second.stdout).toContain('Try it: dlv tour')
    expect(readdirSync(bin)).toEqual(['dlv'])
    expect(readFileSync(join(bin, 'dlv'), 'utf8')).toContain('9.8.7')
  })

  it.each(['curl', 'wget'])('downloads over HTTP with nothing but %s', async (downloader) => {
    const from = createRelease()
    const url = await startHttpServer((request, response) => response.end(readFileSync(join(from, request.url ?? ''))))
    const home = createHome()
    const { stdout, stderr } = await install(['--from', url], { env: { HOME: home, PATH: only(downloader) } })
    expect(stderr).toBe('')
    expect(stdout).toContain(`${url}/${archive}`)
    expect(existsSync(join(home, '.local/bin/dlv'))).toBe(true)
  })

  it.each([
    [
      'changed',
      (file: string) => writeFileSync(file, 'something else'),
      /checksum of .* is wrong: expected [0-9a-f]{64}/,
    ],
    [
      'not listed',
      (file: string) => writeFileSync(join(file, '../SHA256SUMS'), ''),
      /has no dlv-linux-.* in SHA256SUMS/,
    ],
  ])('installs no archive that was %s', async (_, spoil, message) => {
    const from = createRelease()
    spoil(join(from, archive))
    const home = createHome()
    const ending = await install(['--from', from], { env: { HOME: home } })
    expect(ending.code).toBe(1)
    expect(ending.stderr).toMatch(message)
    expect(readdirSync(home)).toEqual([])
  })

  it('keeps the program that is there if the new one does not run', async () => {
    const from = createRelease()
    const home = createHome()
    await install(['--from', from], { env: { HOME: home } })
    writeFileSync(join(from, 'dlv'), '#!/bin/sh\necho no such library >&2\nexit 1\n', { mode: 0o755 })
    execFileSync('tar', ['-czf', join(from, archive), '-C', from, 'dlv'])
    const sum = execFileSync('sha256sum', [archive], { cwd: from, encoding: 'utf8' })
    writeFileSync(join(from, 'SHA256SUMS'), sum)
    const ending = await install(['--from', from], { env: { HOME: home } })
    expect(ending).toMatchObject({ code: 1, stderr: expect.stringContaining('no such library') })
    expect(readdirSync(join(home, '.local/bin'))).toEqual(['dlv'])
    expect(readFileSync(join(home, '.local/bin/dlv'), 'utf8')).toContain('9.8.7')
  })

  it.each([
    ['Darwin', 'arm64'],
    ['Linux', 'riscv64'],
  ])('says for %s on %s what to do instead', async (system, machine) => {
    const home = createHome()
    const ending = await install(['--from', createRelease()], { env: { HOME: home, PATH: asOn(system, machine) } })
    expect(ending.code).toBe(1)
    expect(ending.stderr).toBe(
      `install.sh: There is no program for ${system} on ${machine}. With Node 22.19 or newer: npm install --global dlv-cli\n`,
    )
    expect(readdirSync(home)).toEqual([])
  })

  it('names a folder that it may not write to', async () => {
    const from = createRelease()
    const home = createHome()
    const bin = join(home, 'bin')
    mkdirSync(bin)
    for (const folder of [from, join(from, '..'), home, join(home, '..')]) chmodSync(folder, 0o755)
    chmodSync(bin, 0o555)
    const user = process.getuid?.() === 0 ? { uid: 65_534 } : {}
    for (const dir of [bin, join(bin, 'below')]) {
      const ending = await install(['--from', from, '--dir', dir], { env: { HOME: home }, ...user })
      expect(ending.code).toBe(1)
      expect(ending.stderr).toMatch(
        /^install\.sh: Cannot (?:write to|create) .*bin.* Choose another folder: --dir FOLDER\n$/,
      )
    }
    expect(readdirSync(bin)).toEqual([])
  })

  it('moves nothing into a folder that has the name of the program', async () => {
    const home = createHome()
    mkdirSync(join(home, 'bin/dlv'), { recursive: true })
    const ending = await install(['--from', createRelease(), '--dir', join(home, 'bin')], { env: { HOME: home } })
    expect(ending).toEqual({
      code: 1,
      stdout: '',
      stderr: `install.sh: ${home}/bin/dlv is a folder. Rename it, or choose another folder: --dir FOLDER\n`,
    })
    expect(readdirSync(join(home, 'bin/dlv'))).toEqual([])
  })

  it('needs a way to check what it has downloaded', async () => {
    const home = createHome()
    const path = only('curl')
    rmSync(join(path, 'sha256sum'))
    const ending = await install(['--from', createRelease()], { env: { HOME: home, PATH: path } })
    expect(ending).toEqual({
      code: 1,
      stdout: '',
      stderr: 'install.sh: Checking the download needs sha256sum or shasum.\n',
    })
    expect(readdirSync(home)).toEqual([])
  })

  it('names the PATH of a relative folder as it has to be', async () => {
    const home = createHome()
    const dir = relative(process.cwd(), join(home, 'bin'))
    const { stdout } = await install(['--from', createRelease(), '--dir', dir], { env: { HOME: home } })
    expect(stdout).toContain(`export PATH="${home}/bin:$PATH"`)
  })

  it.each([
    [['--dir'], '--dir needs a value.'],
    [['--prefix', '/usr'], 'Unknown option --prefix. Use --version, --dir or --from.'],
    [['--from', '/nowhere'], 'Cannot read /nowhere/SHA256SUMS.'],
  ])('refuses %j', async (words, message) => {
    const ending = await install(words, { env: { HOME: createHome() } })
    expect(ending).toEqual({ code: 1, stdout: '', stderr: `install.sh: ${message}\n` })
  })
})

describe('The program while another version is copied over it', () => {
  it.each([
    ['has no code yet', 'dist/program/dlv.cjs', undefined, 'deliveries list'],
    ['has no byte of its code', 'dist/program/dlv.cjs', 0, 'deliveries list'],
    ['has half of its code', 'dist/program/dlv.cjs', 100, 'deliveries list'],
    ['lacks the chunks that report errors', 'dist/program/chunks', undefined, 'deliveries list'],
    ['lacks the command', 'dist/program/commands', undefined, 'deliveries list'],
    ['has half of its manifest', 'oclif.manifest.json', 100, 'deliveries lst'],
    ['has half of jq', 'dist/program/jq.wasm.br', 1_000, 'deliveries list --jq length'],
    ['has no byte of the thread of jq', 'dist/program/jq-worker.cjs', 0, 'deliveries list --jq length'],
    ['has no byte of the flags of a list', 'dist/program/chunks/paged-list-*.cjs', 0, 'events list --limit 3'],
    ['has half of what runs queries', 'dist/program/query-child.cjs', 1_000, 'query SELECT+1'],
  ])('says that it is incomplete and what to do, if it %s', async (_, part, left, words) => {
    const folder = createTempDir()
    for (const name of ['bin', 'dist']) mkdirSync(join(folder, name))
    copyFileSync('bin/run.js', join(folder, 'bin', 'run.js'))
    copyFileSync('bin/package.json', join(folder, 'bin', 'package.json'))
    copyFileSync('oclif.manifest.json', join(folder, 'oclif.manifest.json'))
    cpSync('dist/program', join(folder, 'dist', 'program'), { recursive: true })
    const [name = '', end] = basename(part).split('*')
    const found = readdirSync(dirname(join(folder, part))).find(
      (file) => file.startsWith(name) && file.endsWith(end ?? ''),
    )
    const file = join(dirname(join(folder, part)), found ?? name)
    if (left === undefined) rmSync(file, { recursive: true })
    else truncateSync(file, left)
    const ended = await new Promise<{ code: unknown; stderr: string }>((resolve) => {
      const env = { PATH: process.env.PATH, HOME: createHome() }
      execFile(
        process.execPath,
        [join(folder, 'bin', 'run.js'), ...words.split(' ')],
        { env },
        (error, _stdout, stderr) => resolve({ code: error?.code, stderr }),
      )
    })
    expect(ended.code, ended.stderr).toBe(2)
    expect(ended.stderr).toMatch(
      /error: A file of dlv is missing or incomplete: .+\.[\s\S]*hint: .*run the same command again/,
    )
    expect(ended.stderr).not.toMatch(/\n +at /)
  })
})
