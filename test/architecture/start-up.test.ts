import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createCli } from '../support/cli/program.js'
import { startHttpServer } from '../support/http-server.js'

const program = join(process.cwd(), 'dist', 'program')
const preload = join(process.cwd(), 'test', 'support', 'cli', 'loaded-modules.cjs')

/** What a run of the program loads: the project's modules, packages, Node's modules, and the number and size of its files. */
interface Loaded {
  own: string[]
  packages: string[]
  node: string[]
  files: number
  kilobytes: number
  /** Whether a date formatter was made. */
  formatsDates: boolean
}

function loadedBy(report: string): Loaded {
  const { chunks, node, formatsDates } = JSON.parse(readFileSync(report, 'utf8')) as {
    chunks: string[]
    node: string[]
    formatsDates: boolean
  }
  const modulesOf = JSON.parse(readFileSync(join(program, 'chunk-modules.json'), 'utf8')) as Record<string, string[]>
  const modules = [...new Set(chunks.flatMap((chunk) => modulesOf[chunk] ?? []))]
  const bytes = chunks.reduce((sum, chunk) => sum + statSync(join(program, chunk)).size, 0)
  return {
    own: modules.filter((name) => name.startsWith('src/')),
    packages: modules.filter((name) => !/^src\/|^package\.json$|rolldown|\.generated\.js$/.test(name)),
    node,
    files: chunks.length,
    kilobytes: bytes / 1_000,
    formatsDates,
  }
}

/** The modules, without the proof by which a sandbox is known, which is one file. */
const modulesIn = ({ own }: Loaded) =>
  [
    ...new Set(own.filter((file) => !file.startsWith('src/sandbox/owner-proof/')).map((file) => file.split('/')[1])),
  ].sort()

/** Parts of Node that cost milliseconds each. */
const costly =
  /^(?:internal\/deps\/undici|assert|crypto|child_process|internal\/fs\/promises|perf_hooks|readline|sqlite|https|http2|tls|zlib|worker_threads)/

/** A person whose programs say what they have loaded. */
function watched(env: NodeJS.ProcessEnv = {}) {
  const cli = createCli()
  const report = join(cli.home, 'loaded.json')
  return {
    cli,
    env: { NODE_OPTIONS: `--require ${preload}`, DLV_TEST_LOADED: report, DLV_API_KEY: 'dlvk_test', ...env },
    loaded: () => loadedBy(report),
  }
}

async function loadedFor(words: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<Loaded> {
  const { cli, env, loaded } = watched(more)
  expect(await cli.runProcess(words, { env })).toMatchObject({ exitCode: 0 })
  return loaded()
}

describe('What the program loads', () => {
  it('is its start alone for --version', async () => {
    const loaded = await loadedFor(['--version'])
    expect(loaded.packages).toEqual([])
    expect(modulesIn(loaded)).toEqual(['cli', 'contract', 'shared'])
    expect(loaded.own).not.toContain('src/cli/command/base-command.ts')
    expect(loaded.node.filter((name) => costly.test(name) || name === 'http')).toEqual([])
    expect(loaded.files).toBeLessThanOrEqual(2)
    expect(loaded.kilobytes).toBeLessThan(25)
  })

  it('is for one GET the command, the client and the network, no schema, no server', async () => {
    const origin = await startHttpServer((_, response) => {
      response.setHeader('content-type', 'application/json')
      response.end('{"deliveryId":"del_1","status":"delivered","createdAt":"2026-03-02T15:00:00Z"}')
    })
    const loaded = await loadedFor(['deliveries', 'get', 'del_1'], { DLV_BASE_URL: `${origin}/delivery/v1` })
    expect(modulesIn(loaded)).toEqual([
      'cli',
      'client',
      'commands',
      'contract',
      'profiles',
      'render',
      'shared',
      'trade',
    ])
    expect(loaded.packages).toEqual(expect.arrayContaining(['@oclif/core']))
    expect(
      loaded.packages.filter((name) => /^(?:zod|conf|ajv|hono|@hono|chalk|cli-table3|undici|wsl-utils)/.test(name)),
    ).toEqual([])
    expect(loaded.own.filter((module) => /operations(?!\.generated)|^src\/bulk\/|schema|\/jq\//.test(module))).toEqual(
      [],
    )
    expect(loaded.node.filter((name) => costly.test(name))).toEqual([])
    expect(loaded.files).toBeLessThanOrEqual(12)
    expect(loaded.kilobytes).toBeLessThan(287.9)
    expect(loaded.formatsDates).toBe(false)
  })

  it('is for --jq what starts a thread, in which the rest is loaded', async () => {
    const loaded = await loadedFor(['explain', 'delivered', '--jq', 'length'])
    expect(loaded.own).toContain('src/cli/output/jq/jq.ts')
    expect(loaded.node).toContain('worker_threads')
    expect(loaded.packages).not.toContain('jq-web')
    expect(loaded.kilobytes).toBeLessThan(420)
  })

  it('is for a listener that forwards nothing to a sandbox the listener and no sandbox', async () => {
    const run = watched({
      DLV_BASE_URL: 'http://127.0.0.1:9/delivery/v1',
      DLV_WEBHOOK_SECRET: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    })
    const listener = run.cli.startProcess(['webhooks', 'listen', '--port', '0', '-o', 'ndjson'], { env: run.env })
    await listener.line((line) => line.includes('ready'))
    await listener.kill('SIGINT')
    const loaded = run.loaded()
    expect(modulesIn(loaded)).toEqual([
      'cli',
      'commands',
      'contract',
      'listener',
      'postgres',
      'profiles',
      'render',
      'shared',
      'trade',
      'webhooks',
    ])
    expect(loaded.packages.filter((name) => /^(?:conf|ajv|hono|@hono|undici|cli-table3|pg)/.test(name))).toEqual([])
    expect(loaded.node.filter((name) => /^(?:internal\/deps\/undici|http2|worker_threads)/.test(name))).toEqual([])
  })
})
