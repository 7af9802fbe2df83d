import type { z } from 'zod'
import {
  areOnlySeen,
  commonErrors,
  DeliveryEvent,
  DriverEvent,
  ErrorBody,
  errorStatuses,
  eventTypes,
  findDrift,
  headers,
  InstallationEvent,
  type Operation,
  type OperationName,
  operationNames,
  operationRows,
  WebhookEvent,
} from '../../contract/index.js'
import { isRecord, tryParseJson } from '../../shared/json.js'
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
function operationOf(method: string, path: string): OperationName | undefined {
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

/** The differences of a response from the contract; `undefined` if the contract has no operation for its request. */
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

/** The differences of a webhook's body, or of a listed event's `data`, from the contract. */
export function checkEvent(body: unknown): Omit<Finding, 'count'>[] {
  return compare(schemaOf(body), body).map((difference) => ({ operation: 'webhook', ...difference }))
}

function schemaOf(body: unknown): z.ZodType {
  const type = isRecord(body) && typeof body.eventType === 'string' ? body.eventType : ''
  if (!(eventTypes as readonly string[]).includes(type)) return WebhookEvent
  if (type.startsWith('delivery.')) return DeliveryEvent
  if (type === 'driver.duty_changed') return DriverEvent.partial({ driver: true })
  return type.startsWith('driver.') ? DriverEvent : InstallationEvent
}

type Difference = Pick<Finding, 'kind' | 'path' | 'example'>

/** Everything in which a value differs from its schema, with places in lists as `[]`. */
function compare(schema: z.ZodType, value: unknown): Difference[] {
  // The contract lists these values only as examples: another one is no difference.
  const beyond = findDrift(schema, value, '', areOnlySeen).map(
    ({ kind, path, value: found }): Difference => ({
      kind: kind === 'unknown property' ? 'newProperty' : 'unknownEnum',
      path: general(path),
      example: found ?? valueAt(value, path.split(/[.[\]]+/).filter(Boolean)),
    }),
  )
  const issues = schema.safeParse(value, { reportInput: true }).error?.issues ?? []
  return [...beyond, ...issues.flatMap((issue) => against(value, issue, []))]
}

function against(root: unknown, issue: z.core.$ZodIssue, above: readonly PropertyKey[]): Difference[] {
  const path = [...above, ...issue.path]
  if (issue.code === 'invalid_union') {
    // Of several alternatives, the one that fits furthest is the one that was meant.
    const tried = issue.errors.find((errors) => errors.some((inner) => inner.path.length > 0))
    if (tried !== undefined) return tried.flatMap((inner) => against(root, inner, path))
  }
  const value = valueAt(root, path)
  if (value === undefined)
    return [{ kind: 'missingRequired', path: general(pointer(path)), example: valueAt(root, path.slice(0, -1)) }]
  return [{ kind: 'wrongType', path: general(pointer(path)), example: value }]
}

function pointer(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, part) =>
      typeof part === 'number' ? `${text}[${part}]` : text === '' ? String(part) : `${text}.${String(part)}`,
    '',
  )
}

/** The same field in every element of a list is one place. */
function general(path: string): string {
  return path.replaceAll(/\[\d+\]/g, '[]')
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, name) => (typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined),
    root,
  )
}

/** Headers that any HTTP response may have, from servers, caches, proxies and security policies. */
const ordinary =
  `accept-ranges access-control-allow-credentials access-control-allow-headers access-control-allow-methods
access-control-allow-origin access-control-expose-headers access-control-max-age age allow alt-svc cache-control cf-cache-status
cf-ray connection content-disposition content-encoding content-language content-length content-location content-security-policy
content-type cross-origin-embedder-policy cross-origin-opener-policy cross-origin-resource-policy date etag expires keep-alive
last-modified link location nel origin-agent-cluster permissions-policy pragma proxy-authenticate referrer-policy report-to
reporting-endpoints server server-timing set-cookie strict-transport-security timing-allow-origin traceparent tracestate trailer
transfer-encoding upgrade vary via www-authenticate x-content-type-options x-dns-prefetch-control x-download-options
x-envoy-upstream-service-time x-frame-options x-permitted-cross-domain-policies x-powered-by x-xss-protection`.split(
    /\s+/,
  )

const known = new Set([...ordinary, ...Object.values(headers).map((name) => name.toLowerCase())])

/** Whether a response's header is one of the contract's, or says nothing about the service. HTTP/2 has names with `:`. */
function isDocumentedHeader(name: string): boolean {
  return name.startsWith(':') || known.has(name.toLowerCase())
}
