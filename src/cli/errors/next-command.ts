import { isRecord } from '../../shared/json.js'
import { shellWord } from '../../shared/shell-word.js'
import type { Explanation } from '../explanations/explanation.js'

/**
 * The subject of a command, by the placeholders of explanations (`id`, `code`, `clientOrderReference`), and its `file`.
 */
export type Subject = Readonly<Record<string, string>>

/** What the details of the service's error say about the subject, by field name. */
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
 * What to run next for a code: the first command of its explanation. One that checks the order again needs its file;
 * without one, the explanation itself is next.
 */
export function nextFor({ code, next: [first] }: Explanation, subject: Subject): string | undefined {
  if (first === undefined) return undefined
  const needsFile = first.endsWith(`${orderFile} --dry-run`)
  return nextCommand(needsFile && subject.file === undefined ? `dlv explain ${code}` : first, subject)
}

/**
 * A command of an explanation with known values in place of `<id>` and the like, and the user's file in place of
 * `order.json`; `…` stands for an order from flags.
 */
export function nextCommand(template: string, subject: Subject): string {
  const { file } = subject
  return template
    .replace(orderFile, file === undefined || file === '-' ? '…' : `--file ${shellWord(file)}`)
    .replace(/"?<(\w+)>"?/g, (placeholder, name: string) => {
      const value = subject[name]
      return value === undefined ? placeholder : shellWord(value)
    })
}
