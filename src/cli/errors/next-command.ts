import type { Delivery } from '../../contract/index.js'
import { shellWord } from '../../shared/command-words.js'
import { isRecord } from '../../shared/json.js'
import { type Explanation, explain } from '../explanations/index.js'

/**
 * The subject of a command, by the placeholders of explanations (`id`, `code`, `clientOrderReference`), and its `file`.
 */
export type Subject = Readonly<Record<string, string>>

/** Placeholders by the field of an error's details that has their value. */
const inDetails: Readonly<Record<string, string>> = { existingDeliveryId: 'id', installationCode: 'code' }

/** The subject, as far as the service's error names it. */
export function subjectOf(details: unknown): Subject {
  const known = Object.entries(inDetails).flatMap(([name, placeholder]) => {
    const value = isRecord(details) ? details[name] : undefined
    return typeof value === 'string' ? [[placeholder, value]] : []
  })
  return Object.fromEntries(known)
}

const orderFile = '--file order.json'

/**
 * The command to run next for a code: the first one of its explanation whose values are all known, or else the explanation
 * itself. A command that checks the order again needs its file.
 */
export function nextFor({ code, next }: Explanation, subject: Subject): string {
  const usable = next.filter((command) => subject.file !== undefined || !command.endsWith(`${orderFile} --dry-run`))
  return usable.map((command) => nextCommand(command, subject)).find(isWhole) ?? `dlv explain ${code}`
}

/** The commands of an explanation for a known subject: those about something that it does not have are left out. */
export function nextAbout({ next }: Explanation, subject: Subject): string[] {
  const known = next.filter((command) => !command.includes(orderFile)).map((command) => nextCommand(command, subject))
  const whole = known.filter(isWhole)
  return whole.length > 0 || subject.id === undefined ? whole : [nextCommand('dlv deliveries get <id>', subject)]
}

const isWhole = (command: string) => !/<\w+>/.test(command)

/** Whether a command works only on a sandbox, so that it is not suggested on production. */
export function isOfSandbox(command: string): boolean {
  return /^dlv (?:sandbox|simulate)\b/.test(command)
}

/**
 * A command of an explanation with known values in place of `<id>` and the like, and the user's file in place of
 * `order.json`; `…` stands for an order from flags.
 */
function nextCommand(template: string, subject: Subject): string {
  const { file } = subject
  return template
    .replace(orderFile, file === undefined || file === '-' ? '…' : `--file ${shellWord(file)}`)
    .replace(/"?<(\w+)>"?/g, (placeholder, name: string) => {
      const value = subject[name]
      return value === undefined ? placeholder : shellWord(value)
    })
}

/** The meaning of a delivery's status and reason, with commands about it. */
export function explainDelivery({
  deliveryId,
  status,
  statusReasonCode,
  clientOrderReference,
  dropoff,
}: Delivery): Explanation[] {
  const codes = [status, statusReasonCode].filter((code) => code != null)
  const own = codes.flatMap((code) => explain(code).filter(({ kind }) => kind === 'status' || kind === 'reason'))
  const code = dropoff?.installation?.code
  const subject = {
    id: deliveryId,
    ...(clientOrderReference == null ? {} : { clientOrderReference }),
    ...(code == null ? {} : { code }),
  }
  return own.map((found) => ({ ...found, next: nextAbout(found, subject) }))
}

/** The commands of an explanation that an account can run. */
export function usableCommands(next: readonly string[], isProduction: boolean): string[] {
  return next.filter((command) => !(isProduction && isOfSandbox(command)))
}
