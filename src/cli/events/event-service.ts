import type { CallOptions, Client, QueryOf } from '../../client/index.js'
import { noteInstance, readRefusal, sandboxInstance } from '../../client/internal.js'
import { operationDescriptors } from '../../contract/index.js'

export type EventQuery = QueryOf<'listEvents'>

/** The service as commands about past events use it. */
export interface EventService {
  /**
   * The bytes of a page of events, to be read record by record: the typed operation would reject a whole page for one
   * bad record, and its value no longer has the bytes of the webhooks.
   *
   * @throws ApiError or ConnectionError as the typed operation does
   */
  listEvents(query: EventQuery): Promise<Uint8Array>
  /** The service's time in milliseconds since the epoch. */
  nowMs(options?: CallOptions): Promise<number>
  /** What names the state of the sandbox that answered last; `undefined` of other services. */
  instance(): string | undefined
}

/** The clocks of this machine and of the service, in milliseconds since the epoch. */
export interface Clocks {
  localNowMs(): number
  serviceNowMs(options?: CallOptions): Promise<number>
}

export function eventService(client: Client, { localNowMs, serviceNowMs }: Clocks): EventService {
  const { method, path } = operationDescriptors.listEvents
  return {
    async listEvents(query) {
      const reply = await client.raw({ method, path, query })
      noteInstance(client, reply)
      if (reply.status < 300) return reply.body
      throw readRefusal(reply, localNowMs())
    },
    nowMs: serviceNowMs,
    instance: () => sandboxInstance(client),
  }
}
