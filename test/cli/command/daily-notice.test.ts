import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isNoticeDue } from '../../../src/cli/session/embedded-sandbox.js'
import { createCli } from '../../support/cli/program.js'
import { createTempDir } from '../../support/temp-dir.js'

const notice = 'Using the embedded sandbox'
const hourMs = 3_600_000

describe('the notice of the embedded sandbox', () => {
  it('comes once a day', async () => {
    const cli = createCli()
    const startMs = Date.parse('2026-03-02T15:00:00Z')
    const shown = async (hours: number) =>
      (await cli.run(['health'], { nowMs: () => startMs + hours * hourMs })).stderr.includes(notice)
    expect([await shown(0), await shown(1), await shown(23), await shown(25), await shown(26)]).toEqual([
      true,
      false,
      false,
      true,
      false,
    ])
  })

  it('is off with DLV_NO_NOTICE', async () => {
    const cli = createCli()
    expect((await cli.run(['health'], { env: { DLV_NO_NOTICE: '1' } })).stderr).toBe('')
    expect((await cli.run(['health'])).stderr).toContain(notice)
  })

  it('comes each time if nothing can be noted, and after a clock that was set back', () => {
    const directory = createTempDir()
    const file = join(directory, 'file')
    writeFileSync(file, '')
    expect([1, 2].map(() => isNoticeDue(join(file, 'below'), 0))).toEqual([true, true])
    const nowMs = Date.now()
    expect(isNoticeDue(join(directory, 'notice'), nowMs)).toBe(true)
    expect(isNoticeDue(join(directory, 'notice'), nowMs - 48 * hourMs)).toBe(true)
  })
})
