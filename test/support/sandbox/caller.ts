import {
  type ErrorBody,
  ErrorBody as ErrorBodySchema,
  errorStatuses,
  findDrift,
  headers as headerNames,
  isKnownErrorCode,
  type Operation,
  operationRows,
} from '../../../src/contract/index.js'
import type { Sandbox } from '../../../src/sandbox/index.js'

/** An answer of the service, already held against the contract. */
export interface Reply {
  status: number
  headers: Headers
  text: string
  body: Record<string, unknown>
  /** The error code, where the answer is an error. */
  code: string | undefined
}

export interface CallOptions {
  apiKey?: string | undefined
  headers?: Record<string, string>
  /** Set where the answer is meant to leave the contract. */
  offContract?: boolean
}

type CalledSandbox = Sandbox & { baseUrl?: string; controlUrl?: string }

const rateHeaders = [
  headerNames.requestId,
  headerNames.rateLimit,
  headerNames.rateLimitPolicy,
  headerNames.legacyLimit,
  headerNames.legacyRemaining,
  headerNames.legacyReset,
]

/** Calls the service over a real socket, or in process where the sandbox has none, and checks every answer. */
export class Caller {
  private keys = 0

  constructor(
    private readonly given: CalledSandbox | (() => CalledSandbox),
    private readonly apiKey?: string,
  ) {}

  private get sandbox(): CalledSandbox {
    return typeof this.given === 'function' ? this.given() : this.given
  }

  /** The same sandbox in the name of another account. */
  as(apiKey: string): Caller {
    return new Caller(this.given, apiKey)
  }

  get = (path: string, options?: CallOptions) => this.call('GET', path, undefined, options)
  post = (path: string, body?: unknown, options?: CallOptions) => this.call('POST', path, body, options)
  patch = (path: string, body?: unknown, options?: CallOptions) => this.call('PATCH', path, body, options)

  /** Creates a delivery with a key of its own. */
  create(order: unknown, options: CallOptions = {}): Promise<Reply> {
    const key = `key-${process.pid}-${Math.random()}-${this.keys++}`
    return this.post('/deliveries', order, { ...options, headers: { 'Idempotency-Key': key, ...options.headers } })
  }

  async call(method: string, path: string, body?: unknown, options: CallOptions = {}): Promise<Reply> {
    const apiKey = 'apiKey' in options ? options.apiKey : (this.apiKey ?? this.sandbox.apiKey)
    const response = await this.send(`${this.sandbox.baseUrl ?? 'http://sandbox/delivery/v1'}${path}`, {
      method,
      headers: {
        ...(apiKey === undefined ? {} : { Authorization: `Bearer ${apiKey}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...options.headers,
      },
      ...(body === undefined ? {} : { body: isRaw(body) ? body : JSON.stringify(body) }),
    })
    const reply = await replyOf(response)
    if (options.offContract !== true) checkReply(method, path, reply)
    return reply
  }

  /** A steering call; throws where it is refused. */
  async steer(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
    const reply = await this.trySteer(method, path, body)
    if (reply.status >= 300) throw new Error(`${method} ${path} answered ${reply.status}: ${reply.text}`)
    return reply.body
  }

  async trySteer(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Reply> {
    const response = await this.send(`${this.sandbox.controlUrl ?? 'http://sandbox/_sandbox'}${path}`, {
      method,
      headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return replyOf(response)
  }

  private send(url: string, init: RequestInit): Promise<Response> {
    return this.sandbox.baseUrl === undefined ? this.sandbox.fetch(new Request(url, init)) : fetch(url, init)
  }
}

function isRaw(body: unknown): body is string | Uint8Array<ArrayBuffer> {
  return typeof body === 'string' || body instanceof Uint8Array
}

async function replyOf(response: Response): Promise<Reply> {
  const text = await response.text()
  const body = text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : {}
  return { status: response.status, headers: response.headers, text, body, code: body.error?.code }
}

/** Every answer carries the contract's headers and fits its schema, with nothing that the contract does not know. */
export function checkReply(method: string, path: string, reply: Reply): void {
  for (const name of rateHeaders) {
    if (!reply.headers.has(name)) throw new Error(`${method} ${path} answered ${reply.status} without ${name}`)
  }
  const row = rowOf(method, path)
  const schema = row?.responses[reply.status as 200]
  if (schema !== undefined) {
    const parsed = schema.safeParse(reply.body)
    const drift = findDrift(schema, reply.body)
    if (parsed.success && drift.length === 0) return
    const issues = JSON.stringify(parsed.success ? drift : parsed.error.issues)
    throw new Error(`${method} ${path} answered ${reply.status} off the contract: ${issues}\n${reply.text}`)
  }
  checkError(method, path, reply, row)
}

function checkError(method: string, path: string, reply: Reply, row: Operation | undefined): void {
  const where = `${method} ${path} answered ${reply.status}`
  const parsed = ErrorBodySchema.safeParse(reply.body)
  if (!parsed.success || findDrift(ErrorBodySchema, detailless(parsed.data)).some((drift) => !isOwnCode(drift.value))) {
    throw new Error(`${where} with no error of the contract: ${reply.text}`)
  }
  const { code, requestId } = parsed.data.error
  if (requestId !== reply.headers.get('X-Request-Id'))
    throw new Error(`${where} with another requestId than its header`)
  const statuses: readonly number[] = isKnownErrorCode(code) ? errorStatuses[code] : row === undefined ? [404, 405] : []
  if (!statuses.includes(reply.status))
    throw new Error(`${where} with ${code}, which comes with ${statuses.join(' or ')}`)
  const waits = reply.status === 429 || reply.status === 503
  if (waits !== /^[1-9]\d*$/.test(reply.headers.get('Retry-After') ?? '')) {
    if (waits) throw new Error(`${where} without a Retry-After in seconds`)
  }
}

/** `details` is open for every code but the field errors of a validation. */
function detailless({ error: { details: _, ...error } }: ErrorBody): ErrorBody {
  return { error }
}

function isOwnCode(value: unknown): boolean {
  return value === 'NOT_FOUND' || value === 'METHOD_NOT_ALLOWED'
}

function rowOf(method: string, path: string): Operation | undefined {
  const [pathname = ''] = path.split('?')
  return Object.values(operationRows).find((row) => {
    const pattern = new RegExp(`^${row.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
    return row.method === method && pattern.test(pathname)
  })
}
