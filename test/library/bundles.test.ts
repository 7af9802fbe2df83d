import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { type BuildOptions, build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { runNode } from '../support/library/run-node.js'
import { serveSandbox } from '../support/sandbox/served-sandbox.js'
import { createTempDir } from '../support/temp-dir.js'

const errorClasses = 'DlvError, UsageError, ApiError, ConnectionError, ContractError, SignatureError'

async function bundle(contents: string, options: BuildOptions): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: process.cwd() },
    bundle: true,
    write: false,
    logLevel: 'silent',
    ...options,
  })
  return outputFiles?.[0]?.text ?? ''
}

describe('What a browser downloads, minified and gzipped', () => {
  it.each([
    ['createClient', 'client', 27_800],
    ['verify', 'webhooks', 9_800],
    [errorClasses, 'client', 2_000],
    [errorClasses, 'contract', 2_000],
  ])('%s from %s is small', async (names, entry, most) => {
    const text = await bundle(`export { ${names} } from 'dlv-cli/${entry}'`, {
      minify: true,
      format: 'esm',
      platform: 'browser',
      conditions: ['browser'],
    })
    expect(gzipSync(text, { level: 9 }).length).toBeLessThanOrEqual(most)
  })
})

describe('The build for platforms without Node', () => {
  it.each(['workerd', 'edge-light', 'deno', 'browser'])('is chosen by the condition %s', async (condition) => {
    const entries = ['client', 'contract', 'webhooks']
    const text = await bundle(entries.map((entry) => `export * as ${entry} from 'dlv-cli/${entry}'`).join('\n'), {
      format: 'esm',
      platform: 'neutral',
      conditions: [condition],
    })
    expect(text).toContain('createClient')
    expect(text.match(/node:\w+|\bBuffer\b|\bprocess\.|\bsetImmediate\b|\.unref\b|undici|\bimport\(/g)).toBeNull()
  })
})

describe('A program bundled to one file', () => {
  const sandbox = serveSandbox()

  it.each(['cjs', 'esm'] as const)('calls the service and verifies as %s', async (format) => {
    const program = `
      import { ApiError, createClient } from 'dlv-cli/client'
      import { DlvError } from 'dlv-cli/contract'
      import { newSecret, signatureHeaders, verify } from 'dlv-cli/webhooks'
      const [,, baseUrl, apiKey] = process.argv
      async function main() {
        const client = createClient({ baseUrl, apiKey })
        const { accountType } = await client.getCapabilities()
        const error = await client.getDelivery({ deliveryId: 'del_none' }).catch((error) => error)
        const secrets = [newSecret()]
        const body = new TextEncoder().encode('{}')
        const headers = signatureHeaders({ id: 'evt_1', timestampSeconds: Math.floor(Date.now() / 1000), body, secrets })
        await client.close()
        console.log(JSON.stringify({
          accountType, error, stack: error.stack.split('\\n')[0], isApiError: error instanceof ApiError && error instanceof DlvError,
          ok: verify({ secrets, headers, body }).ok,
        }))
      }
      main()
    `
    const directory = createTempDir()
    const file = join(directory, format === 'cjs' ? 'program.cjs' : 'program.mjs')
    writeFileSync(file, await bundle(program, { format, platform: 'node', minify: true }))
    const result = await runNode([file, sandbox.running.baseUrl, sandbox.running.apiKey])
    expect(result).toMatchObject({ exitCode: 0, stderr: '' })
    expect(JSON.parse(result.stdout)).toMatchObject({
      accountType: 'marketplace',
      error: { name: 'ApiError', message: 'No delivery "del_none" exists.', kind: 'api', code: 'DELIVERY_NOT_FOUND' },
      stack: 'ApiError: No delivery "del_none" exists.',
      isApiError: true,
      ok: true,
    })
  })
})
