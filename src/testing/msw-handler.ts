import type { Sandbox } from '../sandbox/index.js'

/** The part of msw's `http` that is used; any version with the Fetch API has it. */
export interface HttpHandlers<Handler> {
  /** Makes a handler for every method of a path. */
  all(
    path: string,
    resolver: (info: {
      /** The request that the app sent. */
      request: Request
    }) => Promise<Response>,
  ): Handler
}

/**
 * A handler for msw that answers every request below a base URL by a sandbox: `setupServer(mswHandler(http, sandbox,
 * 'https://api.example.com/delivery/v1'))`. The app under test needs no other settings than in production if it sends its
 * requests by `fetch` or `node:http`. In Node, msw does not see undici's sockets: give a client of this package
 * `transport: fetchTransport()`.
 *
 * @param http msw's `http`
 * @param baseUrl the base URL that the app calls, with its version path
 */
export function mswHandler<Handler>(
  http: HttpHandlers<Handler>,
  sandbox: Pick<Sandbox, 'fetch'>,
  baseUrl: string,
): Handler {
  const base = baseUrl.replace(/\/+$/, '')
  return http.all(`${base}/*`, async ({ request }) => {
    try {
      return await sandbox.fetch(onSandbox(request, base))
    } catch (error) {
      // A connection that the sandbox resets: msw makes a failed request of it.
      if (error instanceof TypeError) return Response.error()
      throw error
    }
  })
}

/** The same request to where the sandbox is: its service has the path of the contract. */
function onSandbox(request: Request, base: string): Request {
  const { pathname } = new URL(base)
  const url = new URL(request.url)
  return new Request(`http://127.0.0.1/delivery/v1${url.pathname.slice(pathname.length)}${url.search}`, request)
}
