/** Texts that make patterns back up: each repeated to a length, with an end that fails what looked like a match. */
export const hostilePieces: readonly (readonly [piece: string, end: string])[] = [
  ['a', '!'],
  ['0', 'x'],
  [' ', 'x'],
  ['\t', 'x'],
  ['\n', ' x'],
  [',', '!'],
  [', ', '!'],
  ['.', '!'],
  ['*', 'x'],
  ['a*', 'x'],
  ['/', 'x'],
  ['\\', 'x'],
  ['"', 'x'],
  ['=', '!'],
  [';', '='],
  ['[', 'x'],
  ['{"a":', 'x'],
  ['(', 'x'],
  ['1s', '!'],
  ['28301 ', 'x'],
  ['1, NC ', 'x'],
  ['UNIT 1 BOX ', 'APO'],
  ['P O ', 'x'],
  ['v1,', 'x'],
  ['Bearer dlvk_a-', ' '],
  ['=a:', '@'],
  [':/', '@'],
  ["='", '@'],
  ['+1', ' '],
  ['\u{1f600}', 'x'],
  ['\u0000', 'x'],
]

export function hostileText([piece, end]: readonly [string, string], length: number): string {
  return piece.repeat(Math.ceil(length / piece.length)).slice(0, length - end.length) + end
}
