/** What is read of an answer's headers; the global `Headers` fits, but loading it costs a short command too much. */
export interface HeaderReader extends Iterable<[name: string, value: string]> {
  /** A header's value by its name in any spelling, several joined by a comma; `null` where it is absent. */
  get(name: string): string | null
}

/** What goes to the service: the same in every attempt. */
export interface RequestToSend {
  method: string
  url: string
  headers: Record<string, string>
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
  status: number
  headers: HeaderReader
  /** Unpacked: gzip, deflate and br are undone. */
  body: Uint8Array
}

/**
 * The way to the service. It sends one request once and rejects with `ConnectionError` where no complete answer came;
 * it neither retries nor follows redirects.
 */
export interface Transport {
  send(request: TransportRequest): Promise<TransportReply>
  close?(): Promise<void>
}
