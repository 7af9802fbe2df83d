/** The part of `Headers` that the client reads; loading the global `Headers` would slow down a short command. */
export interface HeaderReader extends Iterable<[name: string, value: string]> {
  /** A header's value by its name in any spelling, several joined by a comma; `null` if it is absent. */
  get(name: string): string | null
}

/** A request as it is sent: the same in every attempt. */
export interface RequestToSend {
  /** The HTTP method. */
  method: string
  /** The whole address. */
  url: string
  /** By name in lower case. */
  headers: Record<string, string>
  /** The bytes of the body, if there is one. */
  body?: Uint8Array | undefined
}

/** One request, ready to be sent once. */
export interface TransportRequest extends RequestToSend {
  /** Ends the attempt: whatever it was doing, the transport rejects soon after. */
  signal: AbortSignal
  /** The most that the answer's body may take, in bytes, before and after it is unpacked. */
  maxBytes: number
}

/** A complete answer, whatever its status. */
export interface TransportReply {
  /** The HTTP status. */
  status: number
  /** The headers of the response. */
  headers: HeaderReader
  /** Unpacked: gzip, deflate and br are undone. */
  body: Uint8Array
}

/**
 * The way to the service. It sends one request once and rejects with `ConnectionError` if no complete answer came;
 * it neither retries nor follows redirects.
 */
export interface Transport {
  /** Sends one request once. */
  send(request: TransportRequest): Promise<TransportReply>
  /** Ends what is under way and frees connections. */
  close?(): Promise<void>
}
