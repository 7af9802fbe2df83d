import { expect, it } from 'vitest'
import { ListenerLines } from '../../src/render/listener-lines.js'

const style = { terminal: true, colour: false, columns: 80, accessible: false, nowMs: 0, timeZone: 'UTC' }

it('a command in the hint of a rejected request stays on one line at 80 columns', () => {
  const command = 'dlv webhooks listen --secret-file new-secret.txt --port 4020'
  const record = {
    type: 'rejected',
    reason: 'no_match',
    status: 401,
    message: 'none of the secrets made this signature',
    hint: `The secret was rotated: ${command}.`,
  } as const
  const lines = new ListenerLines().line(record, style).split('\n')
  expect(lines.filter((line) => line.includes(command))).toHaveLength(1)
  expect(lines.every((line) => line.length <= 80)).toBe(true)
})
