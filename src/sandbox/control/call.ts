import { apiErrorOf, ErrorBody } from '../../contract/index.js'
import { controlPath } from './control.js'

/** Makes one steering call in this process and answers with its JSON. Throws `ApiError` if it is refused. */
export async function steer(
  fetch: (request: Request) => Promise<Response>,
  method: string,
  path: string,
  body: unknown,
): Promise<unknown> {
  const request = new Request(`http://127.0.0.1${controlPath}${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
  })
  const response = await fetch(request)
  const value: unknown = await response.json()
  if (response.ok) return value
  throw apiErrorOf(response.status, ErrorBody.parse(value))
}
