import {
  commonErrors,
  ErrorBody,
  errorStatuses,
  type Operation,
  type OperationName,
  operationNames,
  operationRows,
} from '../contract/index.js'
import { tryParseJson } from '../shared/json.js'
import { compare } from './compare.js'
import { isDocumentedHeader } from './documented-headers.js'
import type { Finding } from './finding.js'

/** A response of the service and the request that it answers. */
export interface ObservedResponse {
  method: string
  /** Below the base URL, without a query: `/deliveries/del_1`. */
  path: string
  status: number
  headers: Iterable<readonly [name: string, value: string]>
  body: string | Uint8Array
}

/** The operation that a request is for; `undefined` if the contract has no such path. */
export function operationOf(method: string, path: string): OperationName | undefined {
  const parts = path.replace(/\/+$/, '').split('/')
  return operationNames.find((name) => {
    const row = operationRows[name]
    const template = row.path.split('/')
    return (
      row.method === method.toUpperCase() &&
      template.length === parts.length &&
      template.every((part, index) => part === parts[index] || (part.startsWith('{') && parts[index] !== ''))
    )
  })
}

/** How a response differs from the contract; `undefined` if its request is for no operation of the contract. */
export function checkResponse(response: ObservedResponse): Omit<Finding, 'count'>[] | undefined {
  const operation = operationOf(response.method, response.path)
  if (operation === undefined) return undefined
  const row = operationRows[operation]
  const { status } = response
  return [
    ...(isDocumentedStatus(row, status)
      ? []
      : [{ kind: 'undocumentedStatus' as const, operation, path: String(status), example: excerptOf(response.body) }]),
    ...[...response.headers]
      .filter(([name]) => !isDocumentedHeader(name))
      .map(([name, value]) => ({
        kind: 'undocumentedHeader' as const,
        operation,
        path: name.toLowerCase(),
        example: value,
      })),
    ...checkBody(row, status, response.body).map((difference) => ({ operation, ...difference })),
  ]
}

function checkBody(row: Operation, status: number, body: string | Uint8Array) {
  const schema = row.responses[status as keyof Operation['responses']] ?? (status >= 400 ? ErrorBody : undefined)
  if (schema === undefined) return []
  const json = tryParseJson(body)
  if (json === undefined) return [{ kind: 'wrongType' as const, path: '', example: excerptOf(body) }]
  // The shape of details is not shown but for the field errors.
  return compare(schema, json.value).filter(
    ({ path }) => schema !== ErrorBody || !/^error\.details\b(?!\.fieldErrors)/.test(path),
  )
}

function isDocumentedStatus(row: Operation, status: number): boolean {
  if (Object.hasOwn(row.responses, status)) return true
  const codes = row.authenticated === false ? ['RATE_LIMIT_EXCEEDED' as const] : [...row.errors, ...commonErrors]
  return codes.some((code) => {
    const statuses: number | readonly number[] = errorStatuses[code]
    return typeof statuses === 'number' ? statuses === status : statuses.includes(status)
  })
}

function excerptOf(body: string | Uint8Array): unknown {
  const json = tryParseJson(body)
  if (json !== undefined) return json.value
  return (typeof body === 'string' ? body : new TextDecoder().decode(body)).slice(0, 200)
}
