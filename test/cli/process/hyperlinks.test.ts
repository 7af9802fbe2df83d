import { describe, expect, it, onTestFinished } from 'vitest'
import { wantsLinks } from '../../../src/cli/process/terminal.js'
import { EventLines } from '../../../src/render/event-line.js'
import { withoutSequences } from '../../../src/render/plain-text.js'
import type { Style } from '../../../src/render/style.js'
import { link } from '../../../src/render/words.js'
import { startJsonServer } from '../../support/cli/json-server.js'
import { createCli } from '../../support/cli/program.js'

const rows: [name: string, flag: boolean | undefined, env: Record<string, string>, expected: boolean][] = [
  ['a terminal that nobody knows', undefined, { TERM: 'xterm-256color' }, false],
  ['kitty', undefined, { TERM: 'xterm-kitty' }, true],
  ['Windows Terminal', undefined, { WT_SESSION: 'x' }, true],
  ['GNOME Terminal', undefined, { VTE_VERSION: '6800' }, true],
  ['the VTE that crashed', undefined, { VTE_VERSION: '5000' }, false],
  ['iTerm2 3.4', undefined, { TERM_PROGRAM: 'iTerm.app', TERM_PROGRAM_VERSION: '3.4.16' }, true],
  ['iTerm2 3.0', undefined, { TERM_PROGRAM: 'iTerm.app', TERM_PROGRAM_VERSION: '3.0.9' }, false],
  ['Visual Studio Code', undefined, { TERM_PROGRAM: 'vscode', TERM_PROGRAM_VERSION: '1.95.2' }, true],
  ['a program with the name of a property', undefined, { TERM_PROGRAM: 'constructor' }, false],
  ['kitty under CI', undefined, { TERM: 'xterm-kitty', CI: 'true' }, false],
  ['kitty with NO_COLOR', undefined, { TERM: 'xterm-kitty', NO_COLOR: '1' }, false],
  ['kitty with --no-color', false, { TERM: 'xterm-kitty' }, false],
  ['FORCE_HYPERLINK with NO_COLOR', undefined, { FORCE_HYPERLINK: '1', NO_COLOR: '1' }, true],
  ['FORCE_HYPERLINK=0 in kitty', undefined, { FORCE_HYPERLINK: '0', TERM: 'xterm-kitty' }, false],
]

describe('Links', () => {
  it.each(rows)('for %s', (_, flag, env, expected) => {
    expect(wantsLinks(flag, env, true)).toBe(expected)
    expect(wantsLinks(flag, env, false)).toBe(false)
  })

  it.each([
    'javascript:alert(1)',
    'file:///etc/passwd',
    'https://track.example/***',
    'no address',
    `https://track.example/${'x'.repeat(3_000)}`,
    42,
    null,
  ])('are not made of %j', (address) => {
    expect(link({ links: true }, 'text', address)).toBe('text')
  })

  it('cannot be left by what an address holds, and take no room in a line', () => {
    const hostile = 'https://track.example/a\u0007\u001b]0;title\u0007 b'
    const text = link({ links: true }, 'text', hostile)
    expect(text.split('\u0007')).toHaveLength(3)
    expect(withoutSequences(text)).toBe('text')
    const style: Style = { terminal: true, colour: false, columns: 80, accessible: false, nowMs: 0, timeZone: 'UTC' }
    const delivery = { clientOrderReference: 'A-1', trackingUrl: 'https://track.example/a' }
    const event = {
      eventId: 'e',
      eventType: 'delivery.accepted',
      occurredAt: '1970-01-01T00:00:00Z',
      data: { delivery },
    }
    const linked = new EventLines().line(event, { ...style, links: true })
    expect(linked).toContain('\u001b]8;;https://track.example/a\u0007A-1\u001b]8;;\u0007')
    expect(withoutSequences(linked)).toBe(new EventLines().line(event, style))
  })

  it('lead from an id to its page on a terminal, and never in a pipe', async () => {
    const cli = createCli()
    const delivery = { deliveryId: 'del_1', status: 'accepted', trackingUrl: 'https://track.example/del_1' }
    const server = await startJsonServer(() => JSON.stringify(delivery))
    onTestFinished(() => server.close())
    const { env } = server
    const words = ['deliveries', 'get', 'del_1']
    const linked = { env: { ...env, FORCE_HYPERLINK: '1' } }
    const onTerminal = await cli.run(words, { ...linked, columns: 80 })
    expect(onTerminal.stdout).toContain('\u001b]8;;https://track.example/del_1\u0007del_1')
    expect((await cli.run(words, linked)).stdout).not.toContain('\u001b')
    expect((await cli.run(words, { env, columns: 80 })).stdout).not.toContain('\u001b]8')
    const inSandbox = await cli.run(['deliveries', 'create', '--file', 'examples/order.json'], {
      env: { FORCE_HYPERLINK: '1' },
      columns: 80,
    })
    expect(inSandbox.stdout).not.toContain('\u001b]8')
  })
})
