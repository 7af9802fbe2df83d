/**
 * `npm run contract-types` writes the types of the contract as an editor shows them, each with the description that the
 * OpenAPI document has, and the operations as plain data: `src/contract/types.generated.ts` and, beside it,
 * `operations.generated.ts`.
 */
import { writeFileSync } from 'node:fs'
import { bundled } from './bundled.js'

const source = `
  export { namedSchemas } from './src/contract/openapi/schemas.ts'
  export { createNote, descriptionOf, keyNotes, typeDescription } from './src/contract/openapi/descriptions/index.ts'
  export { ErrorCode } from './src/contract/errors.ts'
  export { EventType } from './src/contract/events.ts'
  export { operationRows } from './src/contract/operations.ts'
  export { descriptorOf } from './src/contract/descriptor-of.ts'
  export { commonErrors } from './src/contract/operation.ts'
`

/** The texts of the files, by path. */
export async function contractTypes() {
  return write(await bundled('contract-types', source))
}

const heading =
  "// Written by `npm run contract-types` from the contract's schemas; a test checks that it is current.\n"
const comparedNote = 'If the response is lost, the delivery is read and compared before anything is sent again.'

/** The types of events whose `eventType` tells them apart. */
const eventTypes = {
  'DeliveryEvent.eventType': 'DeliveryEventType',
  'DriverEvent.eventType': 'DriverEventType',
  'InstallationEvent.eventType': 'InstallationEventType',
}

function write({
  namedSchemas,
  descriptionOf,
  typeDescription,
  createNote,
  keyNotes,
  operationRows,
  descriptorOf,
  commonErrors,
  ErrorCode,
  EventType,
}) {
  const undescribed = []
  const names = new Map(Object.entries(namedSchemas).map(([name, schema]) => [schema, name]))
  names.set(ErrorCode, 'ErrorCode').set(EventType, 'EventType')

  function comment(text, indent, at) {
    if (text === undefined) undescribed.push(at)
    const lines = wrapped((text ?? '').replaceAll('*/', '*\\/'), 116 - indent.length)
    return lines.length === 1
      ? `${indent}/** ${lines[0]} */\n`
      : `${indent}/**\n${lines.map((line) => `${indent} *${line === '' ? '' : ` ${line}`}\n`).join('')}${indent} */\n`
  }

  /** A schema's type; `owner` and `path` say where it stands, for the descriptions of what is in it. */
  function typeOf(schema, owner, path, indent) {
    const name = names.get(schema)
    if (name !== undefined && path !== '') return name
    const { def } = schema
    switch (def.type) {
      case 'optional':
      case 'nonoptional':
        return typeOf(def.innerType, owner, path, indent)
      case 'nullable':
        return `${typeOf(def.innerType, owner, path, indent)} | null`
      case 'array': {
        const element = typeOf(def.element, owner, path, indent)
        return /^\w+$/.test(element) ? `${element}[]` : `Array<${element}>`
      }
      case 'record':
        return 'Record<string, unknown>'
      case 'unknown':
      case 'any':
        return 'unknown'
      case 'union':
        return unionOf(def.options, owner, path, indent)
      case 'enum':
        return Object.values(def.entries).map(quoted).join(' | ')
      case 'literal':
        return def.values.map((value) => JSON.stringify(value)).join(' | ')
      case 'object':
        return objectOf(schema, owner, path, indent)
      case 'string':
        return def.format === 'datetime' ? 'Time' : 'string'
      case 'number':
      case 'boolean':
        return def.type
      default:
        throw new Error(`${owner}.${path}: no type for a schema of the kind ${def.type}`)
    }
  }

  /** A member with its comment, no longer optional. */
  function requiredMember(body, field) {
    const [found] = new RegExp(`(?:  /\\*\\*(?:(?!\\*/)[^])*\\*/\\n)?  ${field}\\?: .*\\n`).exec(body) ?? []
    if (found === undefined) throw new Error(`${field} is not a member`)
    return found.replace(`${field}?: `, `${field}: `).replace(' | undefined\n', '\n')
  }

  /** `(string & {})` keeps an editor completing the known values of an enum that others can be added to. */
  function unionOf(options, owner, path, indent) {
    const types = options.map((option) => typeOf(option, owner, path, indent))
    const isOpen = options.length === 2 && options[0].def.type === 'enum' && types[1] === 'string'
    return isOpen ? `${types[0]} | (string & {})` : [...new Set(types)].join(' | ')
  }

  function objectOf(schema, owner, path, indent) {
    const fields = Object.entries(schema.shape).map(([name, field]) => {
      const at = path === '' ? name : `${path}.${name}`
      return member(name, field, owner, at, `${indent}  `)
    })
    return `{\n${fields.join('')}${indent}}`
  }

  function member(name, field, owner, at, indent) {
    const isOptional = field.def.type === 'optional'
    const type = eventTypes[`${owner}.${at}`] ?? typeOf(field, owner, at, indent)
    const text = descriptionOf(owner, at)
    return `${comment(text, indent, `${owner}.${at}`)}${indent}${name}${isOptional ? '?' : ''}: ${type}${isOptional ? ' | undefined' : ''}\n`
  }

  const types = Object.entries(namedSchemas).map(([name, schema]) => {
    const text = comment(typeDescription(name), '', name)
    const body = typeOf(schema, name, '', '')
    return body.startsWith('{') ? `${text}export interface ${name} ${body}\n` : `${text}export type ${name} = ${body}\n`
  })

  const methods = []
  const inputs = []
  const entries = []
  for (const [name, row] of Object.entries(operationRows)) {
    const title = name[0].toUpperCase() + name.slice(1)
    const members = []
    for (const [, parameter] of row.path.matchAll(/\{(\w+)\}/g))
      members.push([parameter, false, 'string', descriptionOf('Path', parameter)])
    let queryType
    let ways = []
    const queryAbout = 'The filters, and the number of results in a page.'
    if (row.query !== undefined) {
      queryType = `${title}Query`
      const body = objectOf(row.query, queryType, '', '')
      const about = `The query of \`${name}\`.`
      if (row.requiresOneOf === undefined)
        inputs.push(`${comment(about, '', queryType)}export interface ${queryType} ${body}\n`)
      else {
        ways = row.requiresOneOf.map((field) => `${queryType}By${field[0].toUpperCase()}${field.slice(1)}`)
        inputs.push(`${comment(about, '', queryType)}export type ${queryType} = ${ways.join(' | ')}\n`)
        // An editor describes a member that all ways inherit, and one of its own in the overload of its way.
        inputs.push(`${comment(about, '', queryType)}export interface ${queryType}Filters ${body}\n`)
        for (const [at, field] of row.requiresOneOf.entries())
          inputs.push(
            `${comment(`The query of \`${name}\` with \`${field}\`.`, '', queryType)}export interface ${ways[at]} ` +
              `extends ${queryType}Filters {\n${requiredMember(body, field)}}\n`,
          )
      }
      members.push(['query', row.requiresOneOf === undefined, queryType, queryAbout])
    }
    if (row.body !== undefined)
      members.push(['body', row.bodyOptional === true, names.get(row.body), 'The body of the request.'])
    if (row.idempotencyKey !== undefined)
      members.push([
        'idempotencyKey',
        true,
        'string',
        `${descriptionOf('Header', `${name}.idempotencyKey`)} ${keyNotes[name]}`,
      ])
    const fields = members.map(
      ([field, isOptional, type, text]) =>
        `${comment(text, '  ', `${title}Input.${field}`)}  ${field}${isOptional ? '?' : ''}: ${type}${isOptional ? ' | undefined' : ''}\n`,
    )
    inputs.push(
      `${comment(`The input of \`${name}\`.`, '', name)}export interface ${title}Input {\n${fields.join('')}}\n`,
    )
    const [success] = Object.entries(row.responses)
    const output = success[1].def.type === 'array' ? `${names.get(success[1].def.element)}[]` : names.get(success[1])
    const kinds = [
      ['input', `${title}Input`, 'The input.'],
      ['output', output, 'The result.'],
      ...(row.pageOf === undefined
        ? []
        : [
            ['query', queryType, 'The filters.'],
            ['item', names.get(success[1].shape[row.pageOf].def.element), 'One of what is listed.'],
          ]),
    ]
    const entry = kinds.map(([kind, type, about]) => `${comment(about, '    ', name)}    ${kind}: ${type}\n`).join('')
    entries.push(`${comment(`${row.summary}.`, '  ', name)}  ${name}: {\n${entry}  }\n`)
    const codes = [...row.errors, ...(row.authenticated === false ? ['INTERNAL_ERROR'] : commonErrors)]
    const note = name === 'createDelivery' ? createNote : row.repeat?.endsWith('-compared') ? comparedNote : undefined
    const text = [
      `${row.summary}. ${row.description}`,
      ...(note === undefined ? [] : ['', note]),
      '',
      `@param input ${members.length === 0 ? 'nothing' : members.map(([field]) => `\`${field}\``).join(', ')}`,
      '@param options limits, retries and a signal for this call',
      `@throws ApiError ${[...new Set(codes)].map((code) => `\`${code}\``).join(', ')}`,
    ]
    const isOptional = members.every(([, optional]) => optional)
    for (const way of ways) {
      const input = `${comment(queryAbout, '  ', way)}  query: ${way}\n`
      inputs.push(
        `${comment(`The input of \`${name}\` with one of its queries.`, '', way)}export interface ${way.replace('Query', 'Input')} {\n${input}}\n`,
      )
    }
    for (const way of ways)
      methods.push(
        `${comment(text.join('\n'), '  ', name)}  ${name}(input: ${way.replace('Query', 'Input')}, options?: Options): Promise<${output}>\n`,
      )
    methods.push(
      `${comment(text.join('\n'), '  ', name)}  ${name}(input${isOptional ? '?' : ''}: ${title}Input, options?: Options): Promise<${output}>\n`,
    )
  }

  if (undescribed.length > 0) throw new Error(`without a description: ${undescribed.join(', ')}`)
  const operations = `${inputs.join('\n')}
/** What each operation takes and gives. */
export interface OperationTypes {
${entries.join('')}}

/** One method an operation. */
export interface OperationMethods<Options> {
${methods.join('')}}
`
  const used = [...names.values(), 'Time']
    .filter((name) => new RegExp(`: ${name}\\b|<${name}\\b`).test(operations))
    .sort()
  return {
    'src/contract/types.generated.ts': `${heading}import type { KnownErrorCode } from './error-codes.js'
import type { DeliveryEventType, DriverEventType, InstallationEventType, KnownEventType } from './event-types.js'

/** An error code: a known one, or one that a newer service has added. */
export type ErrorCode = KnownErrorCode | (string & {})

/** An event type: a known one, or one that a newer service has added. */
export type EventType = KnownEventType | (string & {})

declare const newer: unique symbol

/** An event type that this version does not know. The mark lets \`switch\` tell it from the known ones. */
export type UnknownEventType = \`\${string}.\${string}\` & { readonly [newer]: true }

/** A time in a request: RFC 3339 with \`Z\` or an offset, or a \`Date\`. */
export type Time = string | Date

${types.join('\n')}
/** An event of a type that this version does not know: log it and answer 2xx. */
export interface UnknownEvent {
  /** The id of the event, equal to the header \`webhook-id\`. Handle each id only once. */
  eventId: string
  /** What happened: a type that this version does not know. */
  eventType: UnknownEventType
  /** When it happened, RFC 3339 in UTC. */
  occurredAt: string
  /** \`false\` for everything of a sandbox. */
  livemode?: boolean | undefined
}

/** An event as a receiver gets it: \`switch (event.eventType)\` tells what it holds. */
export type WebhookEvent = DeliveryEvent | DriverEvent | InstallationEvent | UnknownEvent
`,
    'src/contract/operations.generated.ts': `${heading}import type { OperationDescriptor } from './operation.js'
import type { Shape } from './shape.js'
import type {\n${used.map((name) => `  ${name},\n`).join('')}} from './types.generated.js'

${operations}
${descriptors(operationRows, descriptorOf)}`,
  }
}

/** The operations as plain data. A shape that occurs more than once, such as a delivery, is written once. */
function descriptors(operationRows, descriptorOf) {
  const shapes = new Map()
  function reference(shape) {
    if (typeof shape === 'string') return JSON.stringify(shape)
    const [[kind, content], ...others] = Object.entries(shape)
    const text = { values: JSON.stringify(content), known: JSON.stringify(content) }[kind] ?? inner(kind, content)
    const rest = others.map(([name, value]) => `, ${name}: ${JSON.stringify(value)}`).join('')
    const whole = `{ ${kind}: ${text}${rest} }`
    if (!shapes.has(whole)) shapes.set(whole, `shape${shapes.size + 1}`)
    return shapes.get(whole)
  }
  function inner(kind, content) {
    if (kind === 'anyOf') return `[${content.map(reference).join(', ')}]`
    if (kind !== 'fields') return reference(content)
    return `{ ${Object.entries(content)
      .map(([name, field]) => `${JSON.stringify(name)}: ${reference(field)}`)
      .join(', ')} }`
  }

  const rows = Object.entries(operationRows).map(([name, row]) => {
    const { responses, ...rest } = descriptorOf(row)
    const shapesByStatus = Object.entries(responses).map(([status, shape]) => `${status}: ${reference(shape)}`)
    return `${name}: { ...${JSON.stringify(rest)}, responses: { ${shapesByStatus.join(', ')} } },`
      .replace('{ ...{', '{ ')
      .replace('}, responses', ', responses')
  })
  return `${[...shapes].map(([text, name]) => `const ${name}: Shape = ${text}`).join('\n')}

/** What a client needs of each operation, without its schemas. */
export const operationDescriptors: Readonly<Record<keyof OperationTypes, OperationDescriptor>> = {
${rows.join('\n')}
}
`
}

function quoted(text) {
  return `'${text}'`
}

/** Lines of at most so many characters; those that are given stay apart. */
function wrapped(text, most) {
  return text.split('\n').flatMap((paragraph) => {
    const lines = ['']
    for (const word of paragraph.split(' ')) {
      const last = lines.at(-1)
      if (last === '') lines[lines.length - 1] = word
      else if (last.length + word.length < most) lines[lines.length - 1] = `${last} ${word}`
      else lines.push(word)
    }
    return lines
  })
}

if (import.meta.main) for (const [file, text] of Object.entries(await contractTypes())) writeFileSync(file, text)
