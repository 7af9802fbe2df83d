import { type EventRecord, UsageError } from '../../contract/index.js'
import { plainText, safeJson, shorten } from '../../render/plain-text.js'
import type { ProcessContext } from '../process/context.js'

/** Something that a command is run for. */
interface ExecSubject {
  /** Given to the command as JSON on standard input. */
  value: unknown
  variables: Record<string, string>
  /** Its name in a warning. */
  name: string
}

/**
 * Runs a command line for an event or a problem, which it gets as JSON on standard input and by its ids in variables.
 * Nothing of it becomes part of the command line. A failure is a warning.
 */
export async function execFor(
  context: Pick<ProcessContext, 'env' | 'cwd' | 'stderr'>,
  commandLine: string,
  { value, variables, name }: ExecSubject,
  signal: AbortSignal,
  warn: (text: string) => void,
  /** One of several accounts, which the command's own `dlv` then works on. */
  profile?: string,
): Promise<void> {
  if (signal.aborted) return
  // Loaded for the first event that comes: child processes are costly to load.
  const { runCommandLine } = await import('../process/command-line.js')
  let code: number
  try {
    const all = profile === undefined ? variables : { ...variables, DLV_PROFILE: profile }
    code = await runCommandLine(context, commandLine, all, signal, `${safeJson(value)}\n`)
  } catch (error) {
    // The id comes from the service, which must not be able to end what follows its events.
    if (!(error instanceof UsageError)) throw error
    return warn(`--exec was not run for ${shorten(plainText(name), 80)}: ${error.message}`)
  }
  if (code !== 0 && !signal.aborted) warn(`The command of --exec ended with ${code} for ${name}.`)
}

export function execSubjectOf(event: EventRecord): ExecSubject {
  const { eventId, eventType, deliveryId } = event
  const variables = { DLV_EVENT_ID: eventId, DLV_EVENT_TYPE: eventType, DLV_DELIVERY_ID: deliveryId ?? '' }
  return { value: event, variables, name: `${eventId} (${eventType})` }
}
