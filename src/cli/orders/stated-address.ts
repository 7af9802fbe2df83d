import { parseAddress, postalCodeOf, UsageError, undeliverableDestination } from '../../contract/index.js'
import { valueAt } from '../../render/view.js'
import { isRecord } from '../../shared/json.js'
import { statesOfZip } from '../../trade/zip-states.js'
import { isMissing, withValue } from '../input/assignments.js'

const path = 'dropoff.address'
const zipAtEnd = /[\s,]+(\d{5}(?:-\d{4})?)(\s*,?\s*(?:USA|US|United States)?\.?)$/i

/**
 * An order whose address gets the state that its ZIP code tells, if it names a town and no state.
 *
 * @returns the state beside it, if one was added
 */
export function withStateOfZip(order: Record<string, unknown>): { order: Record<string, unknown>; state?: string } {
  const address = valueAt(order, path)
  if (typeof address === 'string') {
    const stated = statedLine(address)
    return stated === undefined ? { order } : { order: withValue(order, path, stated.line), state: stated.state }
  }
  if (!isRecord(address) || !isMissing(address.state) || isMissing(address.city)) return { order }
  const state = onlyState(String(address.postalCode ?? ''))
  return state === undefined ? { order } : { order: withValue(order, `${path}.state`, state), state }
}

function statedLine(line: string): { line: string; state: string } | undefined {
  if (parseAddress(line)?.state !== undefined || undeliverableDestination(line) !== undefined) return undefined
  const zip = postalCodeOf(line)
  const state = zip === undefined ? undefined : onlyState(zip)
  const stated = state === undefined ? undefined : withState(line, state)
  return stated === undefined || state === undefined || parseAddress(stated)?.city === undefined
    ? undefined
    : { line: stated, state }
}

function withState(line: string, state: string): string | undefined {
  return zipAtEnd.test(line) ? line.replace(zipAtEnd, `, ${state} $1$2`) : undefined
}

function onlyState(zip: string): string | undefined {
  const states = /^\d{5}/.test(zip) ? statesOfZip(zip.slice(0, 5)) : []
  return states.length === 1 ? states[0] : undefined
}

/**
 * An order with a part of its address set; one that is a line is split into its parts first, which would be lost otherwise.
 *
 * @throws UsageError for a line that cannot be split
 */
export function withAddressPart(order: unknown, part: string, value: unknown, flag: string): Record<string, unknown> {
  const line = valueAt(order, path)
  const name = part.slice(path.length + 1)
  if (typeof line !== 'string' || line.trim() === '' || name.includes('.')) return withValue(order, part, value, flag)
  const whole = parseAddress(line)
  const stated = typeof value === 'string' && name === 'state' ? withState(line, value) : undefined
  if (whole?.state === undefined && stated !== undefined && parseAddress(stated)?.state !== undefined)
    return withValue(order, path, stated, flag)
  if (whole === undefined || Object.values(whole).includes(undefined) || whole.city === undefined)
    throw new UsageError(`${flag}: "${line.slice(0, 80)}" cannot be split to set ${part}`, {
      hint: 'Write the whole address: street, city, ST 12345.',
    })
  return withValue(order, path, { ...whole, [name]: value }, flag)
}
