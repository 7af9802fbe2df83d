import { shellWord } from '../../shared/command-words.js'

/** The flag of each option that an error of the library may name. */
const flags: Readonly<Record<string, string>> = {
  adminPort: '--admin-port',
  allowedHosts: '--allow-host',
  columns: '--map',
  encoding: '--encoding',
  hiddenRows: '--hidden',
  host: '--host',
  input: '--file',
  journal: '--journal',
  leaveOut: '--leave-out',
  newKey: '--new-key',
  port: '--port',
  sheet: '--sheet',
  units: '--us-tips',
}

/** The command of each operation that an error of the library may name, before what it is called with. */
const commands: Readonly<Record<string, string>> = {
  getDelivery: 'dlv deliveries get',
  listDeliveries: 'dlv deliveries list',
  updateDelivery: 'dlv deliveries update',
}

/** What takes one command here and more in a program. */
const phrases: readonly (readonly [RegExp, (...found: string[]) => string])[] = [
  [
    /\bstartListener\(\{ journal: ("(?:[^"\\]|\\.)*") \}\) and pullEvents\(\{ listener \}\)/g,
    (_, file = '') => `dlv webhooks listen --journal ${shellWord(JSON.parse(file) as string)} --pull --since 30d`,
  ],
  [
    /\bRestore a snapshot, or start it with \{ replaceDamaged: true \} for an empty state/g,
    () => 'Run dlv sandbox snapshot restore NAME, or dlv sandbox reset for an empty state',
  ],
  [
    /\bOr map them with \{ columns \}\./g,
    () => 'dlv deliveries map FILE > map.json proposes a mapping of other names.',
  ],
]

const option = /\{ (?<name>\w+)(?:: (?<value>"(?:[^"\\]|\\.)*"|\["(?:[^"\\]|\\.)*"\]|\w+|\{ "[^}]*\}))? \}/g
const call = /\b(?<name>[a-z]\w+)\((?:"(?<argument>[\w.-]+)"|\{ (?<key>\w+): "(?<value>[\w.-]+)" \})\)/g

/**
 * The text of the library in the words of the command line. The library names its options and operations as they are
 * written in a program, such as `{ newKey: true }` and `getDelivery("del_01ABC")`; here they are `--new-key` and
 * `dlv deliveries get del_01ABC`.
 */
export function inFlags(text: string): string {
  const shortened = phrases.reduce((said, [phrase, command]) => said.replace(phrase, command), text)
  return shortened.replace(call, commandOf).replace(option, flagOf)
}

/** The error of a row in the words of the command line. */
export function rowErrorInFlags<Said extends { message: string; hint?: string | undefined }>(error: Said): Said {
  const { message, hint } = error
  return { ...error, message: inFlags(message), ...(hint === undefined ? {} : { hint: inFlags(hint) }) }
}

function commandOf(whole: string, ...rest: unknown[]): string {
  const { name = '', argument, key, value } = rest.at(-1) as Record<string, string | undefined>
  const command = commands[name]
  if (command === undefined) return whole
  return argument === undefined ? `${command} --${key} ${value}` : `${command} ${argument}`
}

function flagOf(whole: string, ...rest: unknown[]): string {
  const { name = '', value } = rest.at(-1) as Record<string, string | undefined>
  const flag = flags[name]
  if (flag === undefined) return whole
  if (value === undefined || value === 'true') return flag
  // Columns are said as `"theirs": "field"`.
  if (value.startsWith('{')) return `${flag} ${value.slice(2, -2).replace('": "', '=')}`
  if (value.startsWith('[')) return `${flag} ${shellWord((JSON.parse(value) as string[]).join())}`
  return `${flag} ${value.startsWith('"') ? shellWord(JSON.parse(value) as string) : value}`
}
