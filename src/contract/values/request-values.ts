import { z } from 'zod'
import { isRecord, readJsonText } from '../../shared/json.js'
import { JsonNumber, type NumberReading } from '../../shared/json-number.js'
import { trimmed } from '../../shared/texts.js'
import { CargoAttribute, handoffs, OpenHandoff, verificationLevels } from '../orders.js'
import { PostalCodeInput } from '../stops.js'
import { zipOf } from './sheet-values.js'
import { cargoOf, listOf, numberOf, truthOf, unguarded, unmarkedCargo, wholeNumberOf, wordOf } from './texts.js'

/** A value of a cell, or what is wrong with it as the end of a sentence. */
export type CellValue =
  | {
      /** The value of the field. */
      value: unknown
    }
  | {
      /** What is wrong with the cell. */
      problem: string
      /** How to fix it, if that is known. */
      hint?: string | undefined
    }

/** How the values of one field are read. */
export interface FieldForm {
  /** A value that may be a text, as flags, JSON and rows give it. What is not understood stays as it is. */
  read(value: unknown): unknown
  /** A cell of a sheet that is not empty. */
  readCell(cell: string): CellValue
}

/**
 * The values of a request as its schema wants them: without white space around them, numbers, truth values and lists that
 * are texts, words in any case. What has no schema, such as `metadata`, stays as it is, and so does what is not
 * understood: the checks of the request refuse it. Reading twice changes nothing.
 *
 * @throws UsageError for an unknown cargo attribute; see `cargoOf`
 */
export function readRequest<Value>(schema: z.ZodType, value: Value): Value {
  return formOf(schema).read(value) as Value
}

/** A request without the marks of new words, as it is sent; the same object if there are none. */
export function withoutMarks<Request>(request: Request): Request {
  const cargo = isRecord(request) ? request.package : undefined
  if (!isRecord(request) || !isRecord(cargo) || !Array.isArray(cargo.contains)) return request
  const contains = cargo.contains.map(unmarkedCargo)
  const isSame = contains.every((attribute, index) => attribute === (cargo.contains as unknown[])[index])
  return isSame ? request : { ...request, package: { ...cargo, contains } }
}

/** How the field at a path is read; `undefined` if the schema has none. */
export function formAt(schema: z.ZodType, path: readonly string[]): FieldForm | undefined {
  const [name, ...rest] = path
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return formAt(schema.unwrap() as z.ZodType, path)
  if (schema instanceof z.ZodUnion) {
    const forms = (schema.options as z.ZodType[]).map((option) => formAt(option, path))
    return forms.find((form) => form === textForm) ?? forms.find((form) => form !== undefined)
  }
  if (name === undefined) return formOf(schema)
  if (schema instanceof z.ZodRecord) return rest.length === 0 ? textForm : formAt(schema, rest)
  if (!(schema instanceof z.ZodObject) || !Object.hasOwn(schema.shape, name)) return undefined
  return formAt(schema.shape[name] as z.ZodType, rest)
}

/** A text; a number is taken for its digits: a reference or a room may be one. */
export const textForm: FieldForm = {
  read: (value) => {
    // Beyond these, a number has lost digits already.
    if (value instanceof JsonNumber) return value.text
    if (typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER) return String(value)
    return typeof value === 'string' ? trimmed(value) : value
  },
  readCell: (cell) => ({ value: cell }),
}

/** A form whose texts are understood or not. */
function understood(noun: string, of: (text: string) => unknown): FieldForm {
  return {
    read: (value) => (typeof value === 'string' ? (of(value) ?? trimmed(value)) : value),
    readCell: (cell) => {
      const value = of(cell)
      return value === undefined ? { problem: `is not a ${noun}` } : { value }
    },
  }
}

/** The form of fields that hold whole numbers, by which a sheet knows their columns. */
export const wholeNumberForm = understood('whole number', wholeNumberOf)
const number = understood('number', numberOf)
const truth: FieldForm = {
  ...understood('true or false', truthOf),
  read: (value) =>
    typeof value === 'string' || value === 0 || value === 1 ? (truthOf(String(value)) ?? value) : value,
}

/** A ZIP code, which a sheet may guard against losing its zeros. */
const postalCode: FieldForm = {
  read: (value) => {
    const given = textForm.read(value)
    return typeof given === 'string' ? zipOf(trimmed(unguarded(given))) : given
  },
  readCell: (cell) => ({ value: zipOf(trimmed(unguarded(cell))) }),
}

/** One of a set of words; another stays for the checks of the request. */
function oneOf(words: readonly string[]): FieldForm {
  const of = (given: string) => wordOf(given, words) ?? trimmed(given)
  return {
    read: (value) => (typeof value === 'string' ? of(value) : value),
    readCell: (cell) => ({ value: of(cell) }),
  }
}

/** The level of a check, which a column "ID required" says with yes or no. */
const level: FieldForm = {
  read: (value) => {
    if (typeof value !== 'string' && typeof value !== 'boolean') return value
    const known = wordOf(String(value), verificationLevels)
    const isAsked = known === undefined ? truthOf(String(value)) : undefined
    if (isAsked !== undefined) return isAsked ? 'required' : 'none'
    return known ?? (typeof value === 'string' ? trimmed(value) : value)
  },
  readCell: (cell) => ({ value: level.read(cell) }),
}

/** A list of texts; a single text is its values, parted as `listOf` says. */
function listForm(readAll: (given: readonly unknown[]) => readonly unknown[]): FieldForm {
  const ofArray = (given: readonly unknown[]) => {
    const read = readAll(given)
    return read.length === given.length && read.every((value, index) => value === given[index]) ? given : read
  }
  return {
    read(value) {
      if (typeof value === 'string') {
        const parsed = /^\s*\[/.test(value) ? cellOfJson(value) : { value: listOf(value) }
        return 'value' in parsed && Array.isArray(parsed.value) ? ofArray(parsed.value) : value
      }
      return Array.isArray(value) ? ofArray(value) : value
    },
    readCell(cell) {
      if (!/^[[{]/.test(cell)) return { value: ofArray(listOf(cell)) }
      const json = cellOfJson(cell)
      return 'value' in json && Array.isArray(json.value) ? { value: ofArray(json.value) } : json
    },
  }
}

const texts = listForm((given) => given.map((value) => textForm.read(value)))
const cargo = listForm((given) => cargoOf(given))

/** What is JSON in a cell, and stays as it is elsewhere. */
const json: FieldForm = { read: (value) => value, readCell: (cell) => cellOfJson(cell) }
/** The same for `metadata`, whose numbers stay as they are written, whatever they are called. */
const freeJson: FieldForm = { ...json, readCell: (cell) => cellOfJson(cell, 'free') }

function cellOfJson(cell: string, numbers: NumberReading = 'input'): CellValue {
  const reading = readJsonText(cell, numbers)
  if ('fault' in reading) return { problem: reading.fault === 'depth' ? reading.message : 'is not JSON' }
  const { value } = reading
  return typeof value === 'object' && value !== null ? { value } : { problem: 'is neither an object nor an array' }
}

const forms = new WeakMap<z.ZodType, FieldForm>()

function formOf(schema: z.ZodType): FieldForm {
  const known = forms.get(schema)
  if (known !== undefined) return known
  const form = newForm(schema)
  forms.set(schema, form)
  return form
}

function newForm(schema: z.ZodType): FieldForm {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return formOf(schema.unwrap() as z.ZodType)
  if (schema instanceof z.ZodNumber) return schema.format === 'safeint' || schema.isInt ? wholeNumberForm : number
  if (schema instanceof z.ZodBoolean) return truth
  if (schema instanceof z.ZodEnum) {
    const words = schema.options.map(String)
    return words.join() === verificationLevels.join() ? level : oneOf(words)
  }
  if (schema === PostalCodeInput) return postalCode
  if (schema === OpenHandoff) return oneOf(handoffs)
  if (schema instanceof z.ZodArray) {
    if (schema.element === CargoAttribute) return cargo
    return (schema.element as z.ZodType).def.type === 'string' ? texts : json
  }
  if (schema instanceof z.ZodUnion) return unionForm(schema.options as z.ZodType[])
  if (schema instanceof z.ZodObject) return objectForm(schema)
  if (schema instanceof z.ZodRecord) return freeJson
  return schema.def.type === 'string' ? textForm : json
}

/** An address: an object is one, anything else the other. */
function unionForm(options: readonly z.ZodType[]): FieldForm {
  const objects = options.find((option) => option instanceof z.ZodObject)
  const others = options.find((option) => option !== objects)
  const [object, other] = [objects && formOf(objects), others && formOf(others)]
  const read = (value: unknown) => {
    const form = isRecord(value) ? object : other
    return form === undefined ? value : form.read(value)
  }
  return { read, readCell: (cell) => ({ value: read(cell) }) }
}

function objectForm(schema: z.ZodObject): FieldForm {
  const fields = new Map(Object.entries(schema.shape).map(([name, field]) => [name, formOf(field as z.ZodType)]))
  const read = (value: unknown) => {
    if (!isRecord(value)) return value
    let made: Record<string, unknown> | undefined
    for (const name in value) {
      const given = value[name]
      const member = fields.get(name)?.read(given) ?? given
      if (member === given || !Object.hasOwn(value, name)) continue
      made ??= { ...value }
      made[name] = member
    }
    return made ?? value
  }
  return {
    read,
    readCell(cell) {
      const parsed = cellOfJson(cell)
      return 'value' in parsed ? { value: read(parsed.value) } : parsed
    },
  }
}

/** The content of a cell, without the white space and the guard around it; empty if it says nothing. */
export function cellText(cell: string): string {
  return trimmed(unguarded(trimmed(cell)))
}
