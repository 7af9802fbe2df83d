import { z } from 'zod'
import { deliveryStatuses } from '../../../contract/index.js'
import { plainText } from '../../../render/plain-text.js'
import { isRecord } from '../../../shared/json.js'
import { isLoopback, shownUrl } from '../../../shared/web-address.js'
import { withNumbers } from '../arguments.js'
import type { InnerCommand } from '../inner-run.js'
import type { Confirmable, ToolAnswer, ToolContext } from '../tool.js'

/** Names of deliveries: never `-`, which commands take for standard input. */
export const Name = z
  .string()
  .min(1)
  .max(200)
  .regex(/^(?!-$)/, 'must be an id or a reference')
  .describe('Delivery id or order reference')
export const Time = z.string().max(60).describe('RFC 3339, or 2h, 3d, yesterday')
/** New ones can be added; the command behind the tool refuses misspelt ones. */
export const Status = z
  .string()
  .max(80)
  .describe(`${deliveryStatuses.join(', ')}, or a newer one`)
export const Limit = z.int().min(1).max(100).default(20)
export const Body = z.record(z.string(), z.unknown()).transform((body) => withNumbers(body) as Record<string, unknown>)
/** Of a receiver: nothing is posted to a file, or asked of anybody about one. */
export const Url = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).max(2_048)

/** Runs a command and answers with what a function makes of its result. */
export async function answered(
  { run }: ToolContext,
  command: InnerCommand,
  data: (value: unknown) => Record<string, unknown>,
): Promise<ToolAnswer> {
  const { value, error } = await run(command)
  return error === undefined ? { data: data(value) } : { error: { ...error } }
}

/** `--name=value` for each flag that has one. */
export function flags(values: Readonly<Record<string, string | number | undefined>>): string[] {
  return Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`]))
}

export const asRecord = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {})

export const asList = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.map(asRecord) : [])

/** Some members of an object. */
export function only(value: unknown, names: readonly string[]): Record<string, unknown> {
  const record = asRecord(value)
  return Object.fromEntries(names.filter((name) => record[name] !== undefined).map((name) => [name, record[name]]))
}

/**
 * Asks before anything is posted to another machine, or read from one: a model may have been told the address by a
 * stranger.
 */
export async function confirmForeignReceiver(
  to: string,
  what: string,
  stateUrl?: string,
): Promise<Confirmable | undefined> {
  if (isLocal(to) && (stateUrl === undefined || isLocal(stateUrl))) return undefined
  const target = shownUrl(to)
  if (stateUrl === undefined) return { question: `${what} ${target}?`, preview: { to: target } }
  const state = shownUrl(stateUrl)
  return { question: `${what} ${target}, and read its state from ${state}?`, preview: { to: target, stateUrl: state } }
}

/** A value of the model as a question repeats it: on one line, in quotes that it cannot close, and not at any length. */
export function quoted(value: unknown): string {
  const text = plainText(typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).replaceAll('"', "'")
  return `"${text.length > 128 ? `${text.slice(0, 128)}…` : text}"`
}

/** Whether an address is certainly of this machine, whatever an id adds to it. */
function isLocal(address: string): boolean {
  const filled = address.replaceAll('{deliveryId}', 'del_1')
  return URL.canParse(filled) && isLoopback(new URL(filled).hostname)
}
