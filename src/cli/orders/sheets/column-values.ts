import { itemsCountOf, phoneOf, type Unit, UsageError, withUnits } from '../../../contract/index.js'
import { looksLikeTime } from '../../../shared/sheet-columns.js'

/** The fields that no order can do without. */
export const requiredFields = [
  'clientOrderReference',
  'pickup.storeReference',
  'dropoff.contactName',
  'dropoff.contactPhone',
  'dropoff.address',
] as const

/** Whether most of the values of a column are times; those of a table without rows may be. */
export function areTimes(values: readonly string[]): boolean {
  const times = values.filter((value) => (formOf('timeWindows.dropoff', '') ?? isTime)(value))
  return values.length === 0 || times.length * 2 > values.length
}

export function hasZone(time: string): boolean {
  return /(?:Z|UTC|GMT|[+-]\d{2}:?\d{2}|:\d{2}:\d{2}[\d.]*[+-]\d{2}|\b(?:[ECMP]|AK)[SD]?T\)?)$/i.test(time)
}

/** Why values are not those of a field: more than half of them are in none of its forms. Empty if that needs no word. */
export function valueFault(values: readonly string[], field: string, given: string): string | undefined {
  if (values.length === 0)
    return field === 'dropoff.instructions'
      ? undefined
      : requiredFields.some((one) => one === field)
        ? 'it is empty in every row'
        : ''
  const form = formOf(field, given)
  const wrong = form === undefined ? undefined : values.filter((value) => !form(value))
  if (wrong === undefined || wrong.length * 2 <= values.length) return undefined
  return `"${wrong[0]?.slice(0, 40)}" is ${field === 'dropoff.contactPhone' ? 'no phone of the United States' : 'none'}`
}

/** A day and a time are joined: each of them has to be one, so that a name beside a day is none. */
export function timeFault(parts: readonly (readonly string[])[], field: string, given: string): string | undefined {
  return (
    parts.flatMap((values) => valueFault(values, field, given) ?? []).find((fault) => fault !== '') ??
    (parts.every((values) => values.length === 0) ? '' : undefined)
  )
}

function formOf(field: string, given: string): ((value: string) => boolean) | undefined {
  const unit = (/:(\w+)$/.exec(given)?.[1] ?? (field === 'tipAmountCents' ? 'dollars' : undefined)) as Unit | undefined
  if (/Cents$|Grams$/.test(field))
    return (value) => {
      try {
        const [, name = ''] = /\.?(\w+)$/.exec(field) ?? []
        withUnits({ [name]: value.replace(/^\((.*)\)$/, '$1') }, new Map([[name, unit ?? 'cents']]))
        return true
      } catch (error) {
        if (error instanceof UsageError) return /^[-\d.,$\s%]+$/.test(value)
        throw error
      }
    }
  if (field === 'package.itemsCount')
    return (value) => itemsCountOf(value) !== undefined && !/\d\s*[x×]\s*\p{L}/iu.test(value)
  if (field === 'dropoff.contactPhone') return (value) => phoneOf(value) !== undefined || /^\+\d{8,15}$/.test(value)
  return field.startsWith('timeWindows.')
    ? (value) => isTime(value) || isRange(value) || hasDay(value) || isHour(value) || looksLikeTime(value)
    : undefined
}

export function isTime(value: string): boolean {
  return (
    /^\d{4}[-/]\d{1,2}[-/]\d{1,2}[T ,]+\d{1,2}:\d{2}|^\d{1,2}([/.-])\d{1,2}\1\d{2,4}[, ]+\d{1,2}(?:[:.]\d{2})?/.test(
      value,
    ) || /^(?:\w{3,9},? )?(?:\w{3,9}\.? \d{1,2},? \d{4}|\d{1,2}[ -]\w{3,9}[ -]\d{4}),? .*\d/.test(value)
  )
}

/** Whether some dates begin with their day, and none with its month. */
export function areDayFirst(times: readonly string[]): boolean {
  const firsts = times.flatMap((time) => {
    const [, first, second] = /^(\d{1,2})[/.-](\d{1,2})[/.-](?:20)?\d{2}(?![\w/.-])/.exec(time) ?? []
    return first === undefined ? [] : [[Number(first) > 12, Number(second) > 12]]
  })
  return firsts.some(([isDay]) => isDay) && !firsts.some(([, isMonth]) => isMonth)
}

export function hasDay(value: string): boolean {
  return /\b\d{4}[-/]\d{1,2}[-/]\d{1,2}\b|\b\d{1,2}([/.-])\d{1,2}\1\d{2,4}\b|\b[a-z]{3,9}\.? \d{1,2},? \d{4}\b/i.test(
    value,
  )
}

function isHour(value: string): boolean {
  return /^\d{1,2}(?::\d{2}){0,2}\s*(?:[ap]\.?m\.?)?$/i.test(value)
}

export function isRange(value: string): boolean {
  return /\d\s*(?:[ap]\.?m\.?|Uhr)?\s*(?:[-\u2013\u2014]|to|until|bis)\s*\d{1,2}(?:[:.]\d{2}){0,2}\s*(?:[ap]\.?m\.?|Uhr)?$/i.test(
    value,
  )
}

/** `30.11.2036 15:00 - 17:00`: behind its day is a range of hours. */
export function isDayAndRange(value: string): boolean {
  return isTime(value) && isRange(value.replace(/^\S+\s/, ''))
}
