import { UsageError } from '../../contract/index.js'
import type { SandboxOptions } from '../../sandbox/index.js'
import { switchChoices, switchSummaries } from '../../sandbox/internal.js'

type Switches = NonNullable<SandboxOptions['switches']>

/** The allowed values of a switch; `null` for any number, `undefined` if there is no such switch. */
function choicesOf(name: string): readonly string[] | null | undefined {
  if (Object.hasOwn(switchChoices, name)) return switchChoices[name as keyof typeof switchChoices]
  return Object.hasOwn(switchSummaries, name) ? null : undefined
}

/** One line per switch, for help. */
export function switchLines(): string[] {
  return Object.entries(switchSummaries).map(
    ([name, summary]) => `${name}=${choicesOf(name)?.join('|') ?? 'N'}: ${summary}`,
  )
}

/** Parses `name=value` texts. Throws `UsageError` for an unknown switch or value. */
export function parseSwitches(texts: readonly string[]): Switches {
  return Object.fromEntries(texts.map(parseSwitch)) as Switches
}

function parseSwitch(text: string): [name: string, value: string | number] {
  const at = text.indexOf('=')
  const [name, value] = at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
  const choices = choicesOf(name)
  if (choices === undefined)
    throw new UsageError(`Unknown switch "${name.slice(0, 40)}".`, {
      hint: `Switches: ${Object.keys(switchSummaries).join(', ')}.`,
    })
  if (choices === null && /^\d{1,6}$/.test(value)) return [name, Number(value)]
  if (choices?.includes(value)) return [name, value]
  throw new UsageError(`${name}: expected ${choices?.join(' or ') ?? 'a whole number'}, got "${value.slice(0, 40)}".`)
}
