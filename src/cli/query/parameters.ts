import type { QueryParameter } from '../../archive/index.js'
import { UsageError } from '../../contract/index.js'

/** A number as JSON writes it; `007` and `+1` are texts, such as references and phone numbers. */
const numberForm = /^-?(?:0|[1-9]\d*)(\.\d+(?:[eE][-+]?\d+)?)?$/

/** The values of `--param name=value`. Throws `UsageError` for one without a name or given twice. */
export function parametersOf(given: readonly string[]): Record<string, QueryParameter> {
  const parameters: Record<string, QueryParameter> = Object.create(null)
  for (const text of given) {
    const [, name, value = ''] = /^[:@$]?([A-Za-z_]\w*)=(.*)$/s.exec(text) ?? []
    if (name === undefined)
      throw new UsageError(`--param ${text}: expected NAME=VALUE.`, { hint: 'Such as --param s=failed for :s.' })
    if (Object.hasOwn(parameters, name)) throw new UsageError(`--param ${name} was given twice.`)
    parameters[name] = parameterOf(value)
  }
  return parameters
}

function parameterOf(text: string): QueryParameter {
  const [isNumber, fraction] = numberForm.exec(text) ?? []
  if (isNumber === undefined) return text
  // SQLite gets a number of JavaScript as a real.
  if (fraction !== undefined) return Number(text)
  const integer = BigInt(text)
  return BigInt.asIntN(64, integer) === integer ? integer : text
}
