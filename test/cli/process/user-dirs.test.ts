import { Config } from '@oclif/core'
import { describe, expect, it } from 'vitest'
import { foldersOf } from '../../../src/cli/process/user-dirs.js'

describe('The folders of a user', () => {
  const home = { HOME: '/home/dana' }
  it.each([
    [home, '/home/dana/.config/dlv', '/home/dana/.local/share/dlv'],
    [{ ...home, XDG_CONFIG_HOME: '/c', XDG_DATA_HOME: '/d' }, '/c/dlv', '/d/dlv'],
    [{ ...home, DLV_CONFIG_DIR: '/x', DLV_DATA_DIR: '/y', XDG_CONFIG_HOME: '/c' }, '/x', '/y'],
    [{ ...home, DLV_CONFIG_DIR: '', XDG_DATA_HOME: '' }, '/home/dana/.config/dlv', '/home/dana/.local/share/dlv'],
  ])('of %j are those of the platform unless a variable says otherwise', (env, configDir, dataDir) => {
    expect(foldersOf(env, 'linux')).toEqual({ configDir, dataDir })
  })

  it('are on Windows below the local application data, or the profile', () => {
    const local = foldersOf({ LOCALAPPDATA: '/users/dana/local' }, 'win32')
    expect(local).toEqual({ configDir: '/users/dana/local/dlv', dataDir: '/users/dana/local/dlv' })
    expect(foldersOf({ USERPROFILE: '/users/dana' }, 'win32').configDir).toBe('/users/dana/.config/dlv')
  })

  it('are the same that oclif would find', async () => {
    const { configDir, dataDir } = await Config.load({ root: process.cwd() })
    expect(foldersOf(process.env)).toEqual({ configDir, dataDir })
  })
})
