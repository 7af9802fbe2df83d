import type { EventRecord } from '../../contract/index.js'
import { safeJson } from '../../render/plain-text.js'
import type { ProcessContext } from '../process/context.js'

/**
 * Runs a command line for an event, which it gets as JSON on standard input and by its ids in variables. Nothing of the
 * event becomes part of the command line. A failure is a warning.
 */
export async function execForEvent(
  context: ProcessContext,
  commandLine: string,
  event: EventRecord,
  signal: AbortSignal,
  warn: (text: string) => void,
): Promise<void> {
  if (signal.aborted) return
  // Loaded for the first event that comes: child processes are costly to load.
  const { runCommandLine } = await import('../process/command-line.js')
  const { eventId, eventType, deliveryId } = event
  const variables = { DLV_EVENT_ID: eventId, DLV_EVENT_TYPE: eventType, DLV_DELIVERY_ID: deliveryId ?? '' }
  const code = await runCommandLine(context, commandLine, variables, signal, `${safeJson(event)}\n`)
  if (code !== 0 && !signal.aborted) warn(`The command of --exec ended with ${code} for ${eventId} (${eventType}).`)
}
