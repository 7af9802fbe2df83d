import type { JournalEvent } from '../../listener/index.js'
import { isRecord } from '../../shared/json.js'
import { signatureHeaders, webhookHeaders } from '../../webhooks/index.js'
import type { ExportedEvent } from '../../webhooks/internal.js'
import type { EventService } from '../events/event-service.js'
import type { SandboxControl } from '../sandbox/control.js'
import { eventsOfService } from './replay-source.js'

/** A received event as it came. */
export function receivedAsIs({ id, body, rawHeaders, receivedAtMs, eventType }: JournalEvent): ExportedEvent {
  return { id, body, rawHeaders, receivedAtMs, eventType }
}

/**
 * An event of the service's list, which was not received here: with its exact body, and signed now as the service would.
 *
 * @throws UsageError if the service does not list it
 */
export async function listedAndSigned(
  id: string,
  around: { service: EventService; secrets: readonly string[]; nowMs: number; warn(text: string): void },
): Promise<ExportedEvent | undefined> {
  const { service, secrets, nowMs, warn } = around
  for await (const { body } of eventsOfService({ service, journal: undefined, warn }, [id], { query: {} })) {
    const signed = signatureHeaders({ secrets, id, timestampSeconds: Math.floor(nowMs / 1000), body })
    return { id, body, rawHeaders: Object.entries(webhookHeaders(signed)).flat(), receivedAtMs: nowMs }
  }
  return undefined
}

/** The endpoint that a sandbox has posted an event to; `undefined` if it has not posted it. */
export async function sandboxReceiver(id: string, control: SandboxControl): Promise<string | undefined> {
  const listOf = (value: unknown, name: string) => {
    const list = isRecord(value) ? value[name] : undefined
    return Array.isArray(list) ? list.filter(isRecord) : []
  }
  const attempts = listOf(await control('GET', `/attempts?eventId=${encodeURIComponent(id)}`), 'attempts')
  const endpoints = listOf(await control('GET', '/endpoints'), 'endpoints')
  const posted = endpoints.find((endpoint) => attempts.some(({ endpointId }) => endpointId === endpoint.id))
  return typeof posted?.url === 'string' ? posted.url : undefined
}
