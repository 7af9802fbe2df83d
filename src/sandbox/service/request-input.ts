import {
  type FieldError,
  fieldErrorsOf,
  headers,
  limits,
  type Operation,
  operationRows,
  parseQuery,
} from '../../contract/index.js'
import type { HttpExchange } from '../http/exchange.js'
import { readJsonBody, schemaRefusal, unknownFieldErrors } from '../http/json-body.js'
import type { Switches } from '../switches.js'

/** A request as its row of the contract reads it. */
export interface RequestInput {
  query?: unknown
  body?: unknown
  rawBody?: unknown
  idempotencyKey: string | undefined
}

/** Reads headers, query and body, or throws the 400 that says what does not fit. */
export async function readRequest(row: Operation, exchange: HttpExchange, switches: Switches): Promise<RequestInput> {
  const json = row.body === undefined ? undefined : await readJsonBody(exchange, 'input')
  const fieldErrors: FieldError[] = []
  const idempotencyKey = row.idempotencyKey === undefined ? undefined : exchange.header('idempotency-key')
  fieldErrors.push(...keyErrors(row, idempotencyKey))
  const input: RequestInput = { idempotencyKey }
  if (row.query !== undefined) {
    const parsed = parseQuery(row.query, parametersOf(row, exchange.search))
    if ('issues' in parsed) fieldErrors.push(...parsed.issues.map((issue) => ({ ...issue })))
    else input.query = parsed.query
  }
  if (row.body !== undefined && !(json === undefined && row.bodyOptional === true)) {
    const parsed = row.body.safeParse(json?.value, { reportInput: true })
    if (!parsed.success) fieldErrors.push(...fieldErrorsOf(parsed.error.issues))
    else {
      input.body = parsed.data
      input.rawBody = json?.value
      if (switches.unknownFields === 'reject') fieldErrors.push(...unknownFieldErrors(row.body, json?.value))
    }
  }
  if (fieldErrors.length > 0) throw schemaRefusal(fieldErrors)
  return input
}

/** A lookup by reference ignores `from` and `to`, whatever they say. */
function parametersOf(row: Operation, search: string): URLSearchParams {
  const parameters = new URLSearchParams(search)
  if (row === operationRows.listDeliveries && parameters.has('clientOrderReference')) {
    parameters.delete('from')
    parameters.delete('to')
  }
  return parameters
}

function keyErrors(row: Operation, key: string | undefined): FieldError[] {
  const refuse = (code: string, message: string) => [{ field: `header.${headers.idempotencyKey}`, code, message }]
  if (key === undefined) return row.idempotencyKey === 'required' ? refuse('REQUIRED', 'is required') : []
  if (key === '') return refuse('REQUIRED', 'must not be empty')
  return key.length > limits.idempotencyKeyMaxLength
    ? refuse('TOO_LONG', `must be at most ${limits.idempotencyKeyMaxLength} characters long`)
    : []
}
