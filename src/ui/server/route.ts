import type { Backend, Control, GatherReports } from './backend.js'
import type { DeliveryIndex } from './feed/delivery-index.js'
import type { AccountFeed } from './feed/feed.js'

/** The dependencies of a route: those of one account. */
export interface RouteContext {
  /** The profile, if the page shows several accounts. */
  account: string | undefined
  backend: Backend
  feed: AccountFeed
  deliveries: DeliveryIndex
  /** Computes the report on several accounts together. */
  reports?: GatherReports | undefined
  /** Polls the service now. */
  look(): Promise<void>
}

/** One request of the page. */
export interface RouteCall extends RouteContext {
  /** The named parts of the path. */
  parameters: Readonly<Record<string, string>>
  query: URLSearchParams
  /** The JSON of a POST; `{}` for a GET. */
  body: Readonly<Record<string, unknown>>
}

/** A route below `/ui/api`. Its result is sent as JSON, or unchanged if it is a `Blob`. */
export interface Route {
  /** A POST changes something, so a read-only page refuses it before it is handled. */
  method: 'GET' | 'POST'
  /** Such as `/deliveries/:deliveryId`. */
  path: string
  handle(call: RouteCall): unknown
  /** What it answers for all of several accounts, if none is named. Default: it has to be named. */
  handleAll?(calls: readonly RouteCall[]): unknown
}

/** An error response of the inspector's server itself. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly hint?: string,
  ) {
    super(message)
  }
}

/** A named part of the path. */
export function parameter(call: RouteCall, name: string): string {
  const value = call.parameters[name]
  if (value === undefined) throw new Error(`The route has no :${name}`)
  return value
}

/** A string of the body. Throws a 400 if it is missing. */
export function bodyText(call: RouteCall, name: string): string {
  const value = call.body[name]
  if (typeof value === 'string' && value !== '') return value
  throw new Refused(400, 'VALIDATION_ERROR', `${name} must be a text.`)
}

/** The control API of the sandbox. Throws a 409 if the service is not a sandbox. */
export function controlOf({ control }: Pick<Backend, 'control'>, hint?: string): Control {
  if (control !== undefined) return control
  throw new Refused(409, 'NO_SANDBOX', 'This is possible only with a sandbox on this machine.', hint)
}
