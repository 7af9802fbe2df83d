import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import type { Ground } from '../ground.ts'
import { type Outcome, type Result, round } from '../result.ts'

const errors = 'DlvError, UsageError, ApiError, ConnectionError, ContractError, SignatureError'

/** What a browser downloads of the library: each part bundled, minified and gzipped, and the packages that do the same. */
export async function measureSize(ground: Ground): Promise<Outcome> {
  const ours = join(ground.folder, 'app')
  const theirs = ground.newFolder('peers')
  const isInstalled = install(theirs, ['stripe', 'svix'])
  const peer = async (contents: string) => (isInstalled ? sizeOf(contents, theirs) : undefined)

  const client = await sizeOf("export { createClient } from 'dlv-cli/client'", ours)
  const verify = await sizeOf("export { verify } from 'dlv-cli/webhooks'", ours)
  const classes = [
    await sizeOf(`export { ${errors} } from 'dlv-cli/client'`, ours),
    await sizeOf(`export { ${errors} } from 'dlv-cli/contract'`, ours),
  ]
  const stripe = await peer("export { default } from 'stripe'")
  const svix = await peer("export { Webhook } from 'svix'")
  return {
    results: [
      row('size-client', 'the client for browsers and workers', 25, [client], 'stripe-node', stripe),
      row('size-verify', '`verify` of `dlv-cli/webhooks`', 6, [verify], 'svix', svix),
      row('size-errors', 'the error classes, from `client` and from `contract`', 2, classes),
    ],
  }
}

function install(folder: string, packages: readonly string[]): boolean {
  const npm = (...words: string[]) => execFileSync('npm', words, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  try {
    npm('init', '--yes')
    npm('install', '--silent', '--no-audit', '--no-fund', '--ignore-scripts', ...packages)
    return true
  } catch {
    process.stderr.write(`${packages.join(' and ')} cannot be installed and are left out\n`)
    return false
  }
}

/** In kB of 1,000 bytes: esbuild to ES modules for browsers, minified, gzip -9. */
async function sizeOf(contents: string, folder: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: folder },
    bundle: true,
    write: false,
    logLevel: 'error',
    minify: true,
    format: 'esm',
    platform: 'browser',
    conditions: ['browser'],
  })
  return gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length / 1_000
}

function row(id: string, what: string, most: number, sizes: readonly number[], peer = '', theirs?: number): Result {
  const beside = theirs === undefined ? '' : ` (${peer}: ${round(theirs, 1)} kB)`
  return {
    id,
    aim: `size of ${what}, minified and gzipped`,
    bar: `≤ ${most} kB`,
    measured: `${sizes.map((size) => round(size, 1)).join(' / ')} kB${beside}`,
    values: { kB: Math.max(...sizes), ...(theirs === undefined ? {} : { theirsKB: theirs }) },
    met: sizes.every((size) => size <= most),
  }
}
