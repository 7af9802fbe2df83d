import { fc } from './samples.js'

/**
 * Any character of Unicode, those of ASCII and the shorter ones more often. The library's own `binary` unit needs half a
 * second for its table of all of them.
 */
export const anyCharacter = fc
  .oneof(
    fc.integer({ max: 0x7f, min: 0 }),
    fc.integer({ min: 0x80, max: 0xd7ff }),
    fc.integer({ min: 0xe000, max: 0x10ffff }),
  )
  .map((code) => String.fromCodePoint(code))
