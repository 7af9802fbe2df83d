import { describe, expect, it } from 'vitest'
import { colourFlag, wantsColour } from '../../../src/cli/process/colour.js'

const rows: [
  name: string,
  flag: boolean | undefined,
  env: Record<string, string>,
  terminal: boolean,
  expected: boolean,
][] = [
  ['a terminal', undefined, {}, true, true],
  ['a pipe', undefined, {}, false, false],
  ['--no-color on a terminal', false, { FORCE_COLOR: '1' }, true, false],
  ['--color in a pipe, against NO_COLOR', true, { NO_COLOR: '1' }, false, true],
  ['NO_COLOR against FORCE_COLOR', undefined, { NO_COLOR: '1', FORCE_COLOR: '1' }, true, false],
  ['an empty NO_COLOR', undefined, { NO_COLOR: '' }, true, true],
  ['FORCE_COLOR in a pipe', undefined, { FORCE_COLOR: '1' }, false, true],
  ['FORCE_COLOR=0 on a terminal', undefined, { FORCE_COLOR: '0' }, true, false],
  ['CLICOLOR_FORCE in a pipe', undefined, { CLICOLOR_FORCE: '1' }, false, true],
  ['CLICOLOR_FORCE against CLICOLOR=0', undefined, { CLICOLOR_FORCE: '1', CLICOLOR: '0' }, false, true],
  ['CLICOLOR=0 on a terminal', undefined, { CLICOLOR: '0' }, true, false],
  ['TERM=dumb on a terminal', undefined, { TERM: 'dumb' }, true, false],
  ['CLICOLOR=1 in a pipe', undefined, { CLICOLOR: '1' }, false, false],
]

describe('colour', () => {
  for (const [name, flag, env, terminal, expected] of rows)
    it(`is ${expected ? 'on' : 'off'} for ${name}`, () => {
      expect(wantsColour(flag, env, terminal)).toBe(expected)
    })

  it('takes the last of --color and --no-color, and none after --', () => {
    expect(colourFlag(['get', '--color', '--no-color'])).toBe(false)
    expect(colourFlag(['get', '--', '--color'])).toBeUndefined()
  })
})
