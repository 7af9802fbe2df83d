import type { Client, QueryOf } from '../../client/index.js'
import { readRefusal } from '../../client/internal.js'
import { operationDescriptors } from '../../contract/index.js'
import type { FetchEventPage } from '../../webhooks/index.js'

export type EventQuery = QueryOf<'listEvents'>

/**
 * Fetches pages of the service's events as bytes, to be read record by record: the typed operation would refuse a whole
 * page for one bad record, and its value has lost the bytes of the webhooks.
 *
 * @throws ApiError or ConnectionError as the typed operation does
 */
export function eventPageFetcher(client: Client): (query: EventQuery) => ReturnType<FetchEventPage> {
  const { method, path } = operationDescriptors.listEvents
  return async (query) => {
    const reply = await client.raw({ method, path, query })
    if (reply.status >= 300) throw readRefusal(reply, Date.now())
    return reply.body
  }
}
