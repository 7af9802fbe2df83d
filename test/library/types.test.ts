import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { operationNames } from '../../src/contract/index.js'
import { runNode } from '../support/library/run-node.js'
import { undocumented } from '../support/library/undocumented.js'

const folder = 'test/library/typing'
const compiler = [
  'node_modules/typescript/bin/tsc',
  // Each of several threads would read what the others have read; the compiler's own library is not ours to check.
  ...['--singleThreaded', '--skipDefaultLibCheck'],
  ...['--ignoreConfig', '--noEmit', '--strict', '--target', 'es2022', '--skipLibCheck', 'false', '--types'],
]
/** The compiler is written in Go, and gone before it needs to collect garbage. */
const env = { ...process.env, GOGC: 'off' }
const compile = (words: readonly string[]) => runNode([...compiler, ...words], { env })

/** What a condition leads to. */
type Ways = Record<string, { types: string } | string>

describe('The types of the package', () => {
  it('let right uses compile and 40 mistakes not, with --strict and without --skipLibCheck', async () => {
    const mistakes = readFileSync(`${folder}/mistakes.ts`, 'utf8')
    expect(mistakes.match(/^\s+\/\/ @ts-expect-error \d+:/gm)?.length).toBeGreaterThanOrEqual(40)
    const files = [`${folder}/mistakes.ts`, `${folder}/uses.ts`]
    const result = await compile(['node', '--module', 'nodenext', ...files])
    expect(result).toMatchObject({ stdout: '', exitCode: 0 })
  })

  it('need no types of Node under the conditions of browsers and workers', async () => {
    const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: Record<string, Ways> }
    for (const name of ['./contract', './client', './webhooks'])
      for (const condition of ['browser', 'edge-light', 'deno'])
        expect(exports[name]?.[condition], `${name}: ${condition}`).toEqual(exports[name]?.workerd)
    const web = ['--lib', 'es2022,dom', '--module', 'esnext', '--moduleResolution', 'bundler']
    const result = await compile(['', ...web, '--customConditions', 'workerd', `${folder}/web.ts`])
    expect(result).toMatchObject({ stdout: '', exitCode: 0 })
  })

  it('say in an editor what everything is that can be reached', () => {
    const { count, bare } = undocumented(['contract', 'client', 'sandbox', 'testing', 'webhooks', 'bulk', 'listener'])
    expect(bare).toEqual([])
    expect(count).toBeGreaterThan(1_000)
    const text = readFileSync('dist/types/contract/types.generated.d.ts', 'utf8')
    expect(text).toMatch(/in grams\. \*\/\s+weightGrams/)
    expect(text).toMatch(/in cents\. \*\/\s+valueCents/)
    const operations = readFileSync('dist/types/contract/operations.generated.d.ts', 'utf8')
    // Overloads say in an editor what each way to list deliveries needs.
    const ways = operations.match(/listDeliveries\(input: ListDeliveriesInputBy/g) ?? []
    expect(ways).toHaveLength(2)
    const client = readFileSync('dist/types/client/client.d.ts', 'utf8')
    for (const method of ['pages', 'answers', 'each'])
      expect(
        client.match(new RegExp(`${method}\\(name: 'listDeliveries', query: ListDeliveriesQueryBy\\w+,`, 'g')),
        method,
      ).toHaveLength(2)
    expect(operations.match(/@throws ApiError `/g)).toHaveLength(operationNames.length + ways.length)
  })
})
