import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConnectionError, type ProofOfDelivery, UsageError } from '../../contract/index.js'
import { known } from '../../render/known-word.js'
import { makeFolder } from '../../shared/directory.js'
import { pathOf } from '../input/read.js'
import type { ProcessContext } from '../process/context.js'

const extensions: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/svg+xml': 'svg',
  'image/webp': 'webp',
  'application/pdf': 'pdf',
}
const maxBytes = 20_000_000
const limitMs = 30_000

/**
 * Saves the pictures of a proof as `<delivery>-<number>-<type>.<ext>` and answers with the files' paths. The addresses
 * are fetched without the key: they may lead anywhere.
 */
export async function saveProofs(
  context: ProcessContext,
  proofs: readonly ProofOfDelivery[],
  deliveryId: string,
  folder: string,
  fetchPicture: (request: Request) => Promise<Response>,
): Promise<string[]> {
  const pictures = proofs.flatMap(({ type, url }) => (typeof url === 'string' ? [{ type, url }] : []))
  try {
    makeFolder(pathOf(context, folder), 0o777)
  } catch (cause) {
    throw new UsageError(`--save ${folder} cannot be made: ${(cause as Error).message}.`, { cause })
  }
  const files: string[] = []
  for (const [index, { type, url }] of pictures.entries()) {
    const { bytes, extension } = await download(url, fetchPicture)
    const name = `${safeName(deliveryId)}-${index + 1}-${safeName(type)}.${extension}`
    const file = join(folder, name)
    writeFileSync(pathOf(context, file), bytes)
    files.push(file)
  }
  return files
}

function safeName(text: string): string {
  return text.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 80)
}

async function download(
  address: string,
  fetchPicture: (request: Request) => Promise<Response>,
): Promise<{ bytes: Uint8Array; extension: string }> {
  if (!/^https?:\/\//.test(address)) throw unavailable(address, 'it is no web address')
  try {
    const response = await fetchPicture(new Request(address, { signal: AbortSignal.timeout(limitMs) }))
    if (!response.ok) throw unavailable(address, `it answers ${response.status}`)
    const bytes = new Uint8Array(await response.arrayBuffer())
    if (bytes.byteLength > maxBytes) throw unavailable(address, 'it is larger than 20 MB')
    const kind = response.headers.get('content-type')?.split(';')[0] ?? ''
    return { bytes, extension: known(extensions, kind) ?? 'bin' }
  } catch (cause) {
    if (cause instanceof ConnectionError) throw cause
    throw unavailable(address, (cause as Error).message, cause)
  }
}

function unavailable(address: string, why: string, cause?: unknown): ConnectionError {
  return new ConnectionError(`The proof at ${address.slice(0, 200)} cannot be fetched: ${why}.`, {
    reason: 'other',
    cause,
  })
}
