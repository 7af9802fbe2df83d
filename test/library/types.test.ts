import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { runNode } from '../support/library/run-node.js'

const files = ['mistakes', 'uses'].map((name) => `test/library/typing/${name}.ts`)
const settings = ['--module', 'nodenext', '--target', 'es2022', '--types', 'node', '--noUnusedLocals', 'false']

/** The declarations of what a client takes and gives. */
const reachable = [
  'contract/types.generated',
  'contract/drift',
  ...['call', 'client', 'clock', 'options', 'raw'].map((name) => `client/${name}`),
  ...['trace/http-trace', 'trace/log', 'transport/transport'].map((name) => `client/${name}`),
  ...['sandbox', 'server', 'control/steering'].map((name) => `sandbox/${name}`),
]
const isMember = /^ {4}(?:readonly )?\w+\??[:(<]/

describe('The types of the package', () => {
  it('let right uses compile and 40 mistakes not, with --strict and without --skipLibCheck', async () => {
    const [mistakes = ''] = files.map((file) => readFileSync(file, 'utf8'))
    expect(mistakes.match(/^\s+\/\/ @ts-expect-error \d+:/gm)?.length).toBeGreaterThanOrEqual(40)
    const compiler = [
      'node_modules/typescript/bin/tsc',
      '--ignoreConfig',
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      'false',
    ]
    const result = await runNode([...compiler, ...settings, ...files])
    expect(result).toMatchObject({ stdout: '', exitCode: 0 })
  })

  it('have a comment on everything that can be reached from a client', () => {
    const bare = reachable.flatMap((file) => {
      const lines = readFileSync(`dist/types/${file}.d.ts`, 'utf8').split('\n')
      return lines.filter((line, at) => isMember.test(line) && !lines[at - 1]?.trim().endsWith('*/'))
    })
    expect(bare).toEqual([])
    const text = readFileSync('dist/types/contract/types.generated.d.ts', 'utf8')
    expect(text).toMatch(/in grams\. \*\/\s+weightGrams/)
    expect(text).toMatch(/in cents\. \*\/\s+valueCents/)
    expect(text.match(/@throws ApiError `/g)).toHaveLength(16)
  })
})
