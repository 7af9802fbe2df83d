import { type Client, type ClientOptions, createClient, fetchTransport } from '../client/index.js'
import type { Sandbox } from '../sandbox/index.js'

/** The base URL of a sandbox that is called without a socket. */
const baseUrl = 'http://127.0.0.1/delivery/v1'

/**
 * A client straight onto a sandbox in this process: the same requests and responses as over the network, without a socket.
 *
 * @param options other than where the service is; `apiKey` defaults to the sandbox's default account
 */
export function clientOf(
  sandbox: Pick<Sandbox, 'fetch' | 'apiKey'>,
  options: Partial<Omit<ClientOptions, 'baseUrl' | 'transport'>> = {},
): Client {
  const transport = fetchTransport((request) => sandbox.fetch(request))
  return createClient({ apiKey: sandbox.apiKey, ...options, baseUrl, transport })
}
