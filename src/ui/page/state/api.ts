import type { Failure } from '../../wire/session.js'

/** The token of the address, kept in memory. */
let token = new URLSearchParams(location.hash.slice(1)).get('token') ?? ''

export function hasToken(): boolean {
  return token !== ''
}

/** The token as a name that tabs of the same server share. */
export function serverName(): string {
  return token.slice(0, 12)
}

export function authorization(): string {
  return `Bearer ${token}`
}

/** Takes the token of a new address. */
export function readToken(): void {
  token = new URLSearchParams(location.hash.slice(1)).get('token') ?? token
}

/** An answer that is not a success. */
export class Failed extends Error {
  constructor(
    readonly status: number,
    readonly failure: Failure,
  ) {
    super(failure.message)
  }
}

export async function get<Value>(path: string): Promise<Value> {
  return (await send(path, {})).json() as Promise<Value>
}

export async function getBlob(path: string): Promise<Blob> {
  return (await send(path, {})).blob()
}

export async function post<Value>(path: string, body: object): Promise<Value> {
  const headers = { 'content-type': 'application/json' }
  return (await send(path, { method: 'POST', headers, body: JSON.stringify(body) })).json() as Promise<Value>
}

async function send(path: string, init: RequestInit): Promise<Response> {
  const headers = { ...(init.headers as Record<string, string> | undefined), authorization: authorization() }
  let response: Response
  try {
    response = await fetch(`/ui/api${path}`, { ...init, headers })
  } catch {
    throw new Failed(0, { code: 'NO_ANSWER', message: 'dlv no longer answers.', hint: 'Start it again.' })
  }
  if (response.ok) return response
  const failure = await response.json().then(
    (value: { error?: Failure }) => value.error,
    () => undefined,
  )
  throw new Failed(response.status, failure ?? { code: 'FAILED', message: `The answer is ${response.status}.` })
}
