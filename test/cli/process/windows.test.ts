import { posix, win32 } from 'node:path'
import { describe, expect, it } from 'vitest'
import { programPaths } from '../../../src/cli/process/find-program.js'
import { programEnvironment } from '../../../src/cli/process/program-environment.js'
import { newAccount } from '../../../src/profiles/index.js'
import { foldersOf } from '../../../src/shared/user-dirs.js'

describe('On Windows', () => {
  it('programs are looked for in absolute folders of Path, with the endings that start without a shell', () => {
    const Path = 'C:\\Program Files\\Tools;tools;C:tools;.;;\\\\server\\share\\bin;D:/more'
    expect(programPaths('dlv-audit', { Path }, 'win32')).toEqual([
      'C:\\Program Files\\Tools\\dlv-audit.exe',
      'C:\\Program Files\\Tools\\dlv-audit.com',
      '\\\\server\\share\\bin\\dlv-audit.exe',
      '\\\\server\\share\\bin\\dlv-audit.com',
      'D:\\more\\dlv-audit.exe',
      'D:\\more\\dlv-audit.com',
    ])
    expect(programPaths('dlv-audit', {}, 'win32')).toEqual([])
  })

  it('the directories have drive letters, spaces and backslashes', () => {
    const LOCALAPPDATA = 'C:\\Users\\Dana Whitfield\\AppData\\Local'
    const folder = `${LOCALAPPDATA}\\dlv`
    expect(foldersOf({ LOCALAPPDATA }, 'win32')).toEqual({ configDir: folder, dataDir: folder })
    expect(foldersOf({ LOCALAPPDATA, DLV_DATA_DIR: 'D:\\orders' }, 'win32')).toEqual({
      configDir: folder,
      dataDir: 'D:\\orders',
    })
    expect(foldersOf({ LOCALAPPDATA: '\\\\server\\users\\dana' }, 'win32').dataDir).toBe('\\\\server\\users\\dana\\dlv')
  })

  it('names of files hold no character that Windows refuses, and lead out of no folder', () => {
    for (const baseUrl of [
      'http://127.0.0.1:4010/delivery/v1',
      'https://[::1]:8443/v1',
      'https://api.example.com/v1',
    ]) {
      const name = `journal-${newAccount({ label: 'a.b', baseUrl, environment: 'sandbox', keys: [] }).dataName}.db`
      expect(name).not.toMatch(/[<>:"/\\|?*]|[. ]$/)
      expect(win32.basename(name)).toBe(name)
      expect(posix.basename(name)).toBe(name)
    }
  })

  it('a secret stays with dlv, however its variable is spelt', () => {
    expect(programEnvironment({ Dlv_Api_Key: 'dlvk_sbx_a', dlv_webhook_secret: 'whsec_a', Path: 'C:\\' })).toEqual({
      Path: 'C:\\',
    })
  })
})

it('On other systems, Path is not PATH, and a backslash no separator', () => {
  expect(programPaths('dlv-audit', { Path: '/opt/bin', PATH: '/usr/bin:rel:C:\\x' }, 'linux')).toEqual([
    '/usr/bin/dlv-audit',
  ])
})
