import type { Client } from '../../client/index.js'
import { type Delivery, operationDescriptors, UsageError } from '../../contract/index.js'
import type { DeliveryWay } from '../../drawings/way.js'
import type { JournalReader, Listener } from '../../listener/index.js'
import type { Activity, Grouping, NamedReport, Report } from '../../report/index.js'
import type { AccessOrder } from '../../trade/obstacles.js'
import type { PromiseRules } from '../../trade/promise.js'
import type { SentFacts } from '../../trade/sent-facts.js'
import type { NamedSecret } from '../../webhooks/index.js'
import type { Board, Explained } from '../wire/deliveries.js'
import type { ListPage, ListRow, SortColumn } from '../wire/list.js'
import type { MissingAccount } from '../wire/session.js'

/** Calls the control API of a sandbox on this machine; throws `ApiError` if it is refused. */
export type Control = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown) => Promise<unknown>

/** Fetches an image that the service's answer names; throws if there is none. */
export type Download = (url: string) => Promise<{ contentType: string; body: AsyncIterable<Uint8Array> }>

/** A page of the deliveries that the archive has. */
export type DeliveryList = (query: {
  sort: SortColumn
  isDescending: boolean
  /** The place that the page before told. */
  after: string | undefined
  limit: number
  /** Reference, id, name, phone, street or event id, or a part of one. */
  search: string
  /** Answers from what is there, without asking for what is new. */
  isStale?: boolean
}) => Promise<PlacedPage>

/** A row of the list with its place: its value in the sorted column, and its id. */
export interface PlacedRow extends ListRow {
  place: readonly [value: string | number, deliveryId: string]
}

export interface PlacedPage extends ListPage {
  rows: PlacedRow[]
}

/** An order under way to an installation, as the archive knows it, and what cancelling it costs now. */
export interface OrderUnderWay {
  order: AccessOrder
  reference: string
  feeCents: number | null
  currency: string | null
}

/** Reads the deliveries of a span of time up to now from the archive: `most` of them, and more that are under way. */
type ReadBoard = (request: { spanMs: number; most: number }) => Promise<Board>

/** Computes a report from the events of a period. */
type ReadReport = (request: {
  fromMs: number
  toMs: number
  by: Grouping | undefined
}) => Promise<{ report: Report; activity: Activity }>

/** Computes the report on several accounts together; those that cannot be read are missing. */
export type GatherReports = (
  profiles: readonly string[],
  request: { spanMs: number; by: Grouping | undefined },
) => Promise<{ report: NamedReport | undefined; missing: MissingAccount[] }>

/**
 * The source of the inspector's data, with one interface for an embedded sandbox, a served one, a listener and an
 * account.
 */
export interface Backend {
  version: string
  profile: string
  environment: 'local' | 'sandbox' | 'production'
  /** The service in words: `embedded sandbox`, or its base URL. */
  service: string
  /** The beginning of the commands that the page shows, such as `dlv -P acme`. */
  command: string
  client: Client
  /** What helps if the service refuses the key; absent if the page could not take another. */
  keyRemedy?: string | undefined
  /** The API key that names the account to the control API; never sent to the page. */
  account: string | undefined
  /** Absent if the service is not a sandbox on this machine. */
  control: Control | undefined
  /** The journal of received webhooks; absent if there is none. */
  journal: JournalReader | undefined
  /** The listener in this process. */
  listener: Listener | undefined
  /** What the account's events are kept under in a journal of several. */
  mark?: string | undefined
  /** The secrets that webhooks are verified and signed with. */
  secrets: readonly NamedSecret[]
  /** Refuses everything that changes anything. */
  readOnly: boolean
  download: Download
  hasTrackingPages(): boolean
  /** All deliveries, from the archive. */
  list: DeliveryList
  /** Every order that is under way or scheduled to one of these installations, from the archive. */
  underWayTo(codes: ReadonlySet<string>): Promise<OrderUnderWay[]>
  /** The meaning of a delivery's status and reason. */
  explain(delivery: Delivery): Promise<Explained[]>
  /** A new order like a delivery's, whose order had these parts. */
  orderLike(delivery: Delivery, parts: Record<string, unknown> | undefined): Promise<Record<string, unknown>>
  /** Where a delivery begins and ends, as far as that is known; the store only if it is one of a sandbox. */
  placesOf(delivery: Record<string, unknown>): Pick<DeliveryWay, 'store' | 'gate' | 'dropoff'>
  /** The promises recorded on this machine: quotes and windows that orders were created with. */
  promises(): PromiseRules
  /** What was sent from this machine with a delivery's order. */
  sent(delivery: Delivery): SentFacts | null
  /** Keeps what an order that is created promises. */
  keepOrdered(order: unknown): void
  /** Keeps what an accepted update promises instead. */
  keepMoved(delivery: Delivery, patch: unknown): void
  /** The deliveries that the board shows: those under way, and the newest of the others. */
  board: ReadBoard
  /** The report on the deliveries of a period. */
  report: ReadReport
  /** A realistic order, which a new one begins with. */
  exampleOrder: object
  /** The user agent of `client`, whose reads are not shown. */
  ownAgent: string
  /** This machine's time in milliseconds since the epoch. */
  nowMs(): number
  /** The service's time in milliseconds since the epoch, asked for if need be. */
  serviceNowMs(): Promise<number>
}

/** The query by which the control API tells of one account, with more of it. */
export function accountQuery({ account }: Pick<Backend, 'account'>, more: Record<string, string> = {}): string {
  const query = new URLSearchParams({ ...(account === undefined ? {} : { account }), ...more }).toString()
  return query === '' ? '' : `?${query}`
}

/** A read-only client: it refuses every request that could change something. */
export function readingClient(client: Client): Client {
  const refuse = (what: string) =>
    Promise.reject(new UsageError(`${what} is refused: this account is production, so the page is read-only.`))
  const methods = Object.fromEntries(
    Object.entries(operationDescriptors)
      .filter(([, { method }]) => method !== 'GET')
      .map(([name]) => [name, () => refuse(name)]),
  )
  return {
    ...client,
    ...methods,
    call: (name, input, options) =>
      operationDescriptors[name].method === 'GET' ? client.call(name, input, options) : refuse(name),
    raw: (request, options) =>
      request.method === 'GET' ? client.raw(request, options) : refuse(`${request.method} ${request.path}`),
  }
}
