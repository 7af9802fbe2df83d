import type { Client } from '../client/index.js'
import { eventLine } from '../render/event-view.js'
import { plainText } from '../render/plain-text.js'
import { statusWord } from '../render/status-word.js'
import { timeline } from '../render/timeline.js'
import { type ExitCode, exitCodes } from './exit-codes.js'
import type { Notices } from './notices.js'
import type { Output } from './output.js'
import { type WatchOptions, watchDelivery } from './watch-delivery.js'

/**
 * Follows a delivery and prints what happens: timeline lines for people, events as NDJSON. Answers with the exit code
 * of the outcome; 0 also where a signal ended it, which has set its own code.
 */
export async function showWatch(
  client: Client,
  deliveryId: string,
  options: WatchOptions,
  output: Output,
  notices: Notices,
  quietStart = false,
): Promise<ExitCode> {
  const watch = watchDelivery(client, deliveryId, options)
  for (;;) {
    const { value, done } = await watch.next()
    if (done === true) return outcome(value, options, output, notices)
    const style = { ...output.style, nowMs: Date.now() }
    if ('event' in value) {
      if (output.isJson) await output.record(value.event)
      else await output.text(style.terminal ? timelineLine(value.event, style) : eventLine(value.event, style))
    } else if (!quietStart && !output.isJson && style.terminal) {
      await output.text(`${plainText(value.delivery.deliveryId)}  ${statusWord(value.delivery.status, style)}`)
      for (const line of timeline(value.delivery.statusHistory ?? [], style)) await output.text(`  ${line}`)
    }
  }
}

function timelineLine(event: Parameters<typeof eventLine>[0], style: Output['style']): string {
  const status = event.eventType.replace(/^delivery\./, '')
  const [line = ''] = timeline([{ status, occurredAt: event.occurredAt }], style)
  return `  ${line}`
}

function outcome(
  { end, status }: { end: string; status: string },
  options: WatchOptions,
  output: Output,
  notices: Notices,
): ExitCode {
  if (end === 'reached' || end === 'interrupted') return exitCodes.done
  const wanted = options.until ?? 'delivered'
  const word = statusWord(status, output.style)
  notices.warn(
    end === 'too-late'
      ? `Still ${word}, not ${wanted}, when the time was over.`
      : `It ended ${word}, not ${wanted}. dlv explain ${plainText(status)} says more.`,
  )
  return exitCodes.otherOutcome
}
