import { type Drift, fieldErrorsOf, findDrift, type OperationName, operationRows } from '../../contract/index.js'

/**
 * What the schema of an operation's answer objects to; empty where it accepts the value. Loaded only when an answer is
 * in doubt or somebody traces: building the schemas takes longer than the request.
 */
export function issuesOf(name: OperationName, status: number, value: unknown): string[] {
  const issues = schemaOf(name, status)?.safeParse(value, { reportInput: true }).error?.issues ?? []
  return fieldErrorsOf(issues).map(({ field, message }) => `${field} ${message}`)
}

/** What an answer holds beyond the contract. */
export function driftOf(name: OperationName, status: number, value: unknown): Drift[] {
  const schema = schemaOf(name, status)
  return schema === undefined ? [] : findDrift(schema, value)
}

function schemaOf(name: OperationName, status: number) {
  const { responses } = operationRows[name]
  return responses[status as keyof typeof responses] ?? responses[200] ?? responses[201]
}
