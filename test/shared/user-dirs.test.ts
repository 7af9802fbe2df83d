import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join, win32 } from 'node:path'
import { Config } from '@oclif/core'
import { describe, expect, it } from 'vitest'
import { foldersOf } from '../../src/shared/user-dirs.js'
import { createCli } from '../support/cli/program.js'
import { createTempDir } from '../support/temp-dir.js'

describe('The directories of a user', () => {
  it.each([
    [{}, 'HOME/.config/dlv', 'HOME/.local/share/dlv'],
    [{ XDG_CONFIG_HOME: '/c', XDG_DATA_HOME: '/d' }, '/c/dlv', '/d/dlv'],
    [{ DLV_CONFIG_DIR: '/x', DLV_DATA_DIR: '/y', XDG_CONFIG_HOME: '/c' }, '/x', '/y'],
    [{ DLV_CONFIG_DIR: '', XDG_DATA_HOME: '' }, 'HOME/.config/dlv', 'HOME/.local/share/dlv'],
  ])('with %j are those of the platform unless a variable says otherwise', (env, configDir, dataDir) => {
    const HOME = createTempDir()
    const inHome = (path: string) => path.replace('HOME', HOME)
    expect(foldersOf({ HOME, ...env }, 'linux')).toEqual({ configDir: inHome(configDir), dataDir: inHome(dataDir) })
  })

  it('are on Windows below the local application data, or the profile', () => {
    const local = foldersOf({ LOCALAPPDATA: 'C:\\Users\\dana\\local' }, 'win32')
    expect(local).toEqual({ configDir: 'C:\\Users\\dana\\local\\dlv', dataDir: 'C:\\Users\\dana\\local\\dlv' })
    const USERPROFILE = createTempDir()
    expect(foldersOf({ USERPROFILE }, 'win32').configDir).toBe(win32.join(USERPROFILE, '.config', 'dlv'))
  })

  it('are the same that oclif would find', async () => {
    const { configDir, dataDir } = await Config.load({ root: process.cwd() })
    expect(foldersOf(process.env)).toEqual({ configDir, dataDir })
  })
})

describe.runIf(process.platform === 'linux')('Without a home directory', () => {
  const uid = process.getuid?.() ?? 0
  const file = ['--file', 'examples/order.json']

  it.each([
    ['a device', () => '/dev/null'],
    ['below a file', (folder: string) => join(folder, 'file', 'home')],
  ])('everything works in a private temporary directory: HOME is %s', async (_name, homeIn) => {
    const TMPDIR = createTempDir()
    writeFileSync(join(TMPDIR, 'file'), '')
    const cli = createCli()
    const env = { HOME: homeIn(TMPDIR), TMPDIR }
    const created = await cli.runProcess(['deliveries', 'create', ...file, '-q'], { env })
    expect(created.exitCode, created.stderr).toBe(0)
    expect((await cli.runProcess(['deliveries', 'get', created.stdout.trim()], { env })).exitCode).toBe(0)
    expect((await cli.runProcess(['profiles', 'use', 'local'], { env })).exitCode).toBe(0)
    expect(statSync(join(TMPDIR, `dlv-${uid}`)).mode & 0o777).toBe(0o700)
  })

  it('a directory that others can write to is refused', async () => {
    const TMPDIR = createTempDir()
    mkdirSync(join(TMPDIR, `dlv-${uid}`))
    chmodSync(join(TMPDIR, `dlv-${uid}`), 0o777)
    const { exitCode, stdout, stderr } = await createCli().runProcess(['health'], {
      env: { HOME: '/dev/null', TMPDIR },
    })
    expect([exitCode, stdout]).toEqual([2, ''])
    expect(stderr).toContain(`${TMPDIR}/dlv-${uid} cannot be used`)
    expect(stderr).toContain('DLV_DATA_DIR')
  })
})
