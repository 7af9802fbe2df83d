/** `npm run descriptors` writes `src/contract/operation-descriptors.generated.ts`: the operations as plain data. */
import { writeFileSync } from 'node:fs'
import { bundled } from './bundled.js'

const file = 'src/contract/operation-descriptors.generated.ts'
const source = `
  export { operationRows } from './src/contract/operations.ts'
  export { descriptorOf } from './src/contract/descriptor-of.ts'
`
const { operationRows, descriptorOf } = await bundled('operation-descriptors', source)

/** A shape that occurs more than once, such as a delivery, is written once. */
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
writeFileSync(
  file,
  `// Written by \`npm run descriptors\` from the contract's rows; a test checks that it is current.
import type { OperationName } from './operations.js'
import type { OperationDescriptor } from './operation-descriptor.js'
import type { Shape } from './shape.js'

${[...shapes].map(([text, name]) => `const ${name}: Shape = ${text}`).join('\n')}

/** What a client needs of each operation, without its schemas. */
export const operationDescriptors: Readonly<Record<OperationName, OperationDescriptor>> = {
${rows.join('\n')}
}
`,
)
