import { lookup } from 'node:dns'
import { lstatSync, renameSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import { join, resolve } from 'node:path'
import { ConnectionError, type ProofOfDelivery, UsageError } from '../../contract/index.js'
import { known } from '../../render/words.js'
import { makeFolder } from '../../shared/directory.js'
import { isPrivateAddress } from '../../shared/private-address.js'
import { isLoopback } from '../../shared/web-address.js'
import { unwritable } from '../input/read.js'
import type { ProcessContext } from '../process/context.js'

const extensions: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/svg+xml': 'svg',
  'image/webp': 'webp',
  'application/pdf': 'pdf',
}
const maxBytes = 64_000_000

/** The images to save, and their directory. */
interface ProofFiles {
  proofs: readonly ProofOfDelivery[]
  deliveryId: string
  directory: string
  open: OpenDownload
  /** Ends the current download; its reason is a timeout error or the name of a signal. */
  signal: AbortSignal
}

/**
 * Saves the images of a proof as `<delivery>-<number>-<type>.<ext>` and yields each path once its file is complete, or
 * a sentence about one that is not there. A file has at most 64 MB and is not held in memory; an incomplete one is removed.
 *
 * @throws UsageError if the directory or a file cannot be written, or a file is a symbolic link
 * @throws ConnectionError if an image cannot be downloaded
 */
export async function* savedProofs(
  context: ProcessContext,
  files: ProofFiles,
): AsyncGenerator<{ file: string } | { notFound: string }> {
  const { proofs, deliveryId, directory, signal } = files
  try {
    makeFolder(resolve(context.cwd, directory), 0o777)
  } catch (cause) {
    throw unwritable(context, directory, '--save', cause)
  }
  const pictures = proofs.flatMap(({ type, url }) => (typeof url === 'string' ? [{ type, url }] : []))
  for (const [index, { type, url }] of pictures.entries()) {
    const name = `${safeName(deliveryId)}-${index + 1}-${safeName(type)}`
    try {
      const { contentType, body } = await files.open(url, signal)
      const extension = known(extensions, contentType.split(';')[0] ?? '') ?? 'bin'
      const file = join(directory, `${name}.${extension}`)
      await write(resolve(context.cwd, file), file, body, url)
      yield { file }
    } catch (cause) {
      if (!(cause instanceof ProofNotFoundError)) throw explained(cause, url, signal)
      yield { notFound: cause.message }
    }
  }
}

function safeName(text: string): string {
  return text.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 80)
}

/** Writes to a temporary name and renames, so that no file is half an image and no link is followed. */
async function write(path: string, shown: string, body: AsyncIterable<Uint8Array>, url: string): Promise<void> {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true)
    throw new UsageError(`${shown} is a symbolic link; files are not written through one.`, {
      hint: 'Remove it, or choose another directory.',
    })
  const part = `${path}.part`
  // Left behind by a killed run, or planted: removes a link itself, not what it leads to.
  const handle = await onDisk(shown, () => {
    rmSync(part, { force: true })
    return open(part, 'wx')
  })
  try {
    let size = 0
    for await (const chunk of body) {
      size += chunk.byteLength
      if (size > maxBytes) throw failure(url, 'too-large', `it is larger than ${maxBytes / 1_000_000} MB`)
      await onDisk(shown, () => handle.writeFile(chunk))
    }
    await handle.close()
    await onDisk(shown, async () => renameSync(part, path))
  } catch (error) {
    await handle.close()
    rmSync(part, { force: true })
    throw error
  }
}

/** Converts an error of the file system to a `UsageError` that names the file. */
async function onDisk<Result>(shown: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (cause) {
    throw new UsageError(`Cannot write ${shown}: ${(cause as Error).message}.`, { cause })
  }
}

/**
 * Describes a failure in terms of the proof: an abort is a timeout or an interruption, anything else comes from the
 * network.
 */
function explained(cause: unknown, url: string, signal: AbortSignal): unknown {
  if (signal.aborted) {
    const isTimeout = signal.reason instanceof Error && signal.reason.name === 'TimeoutError'
    return isTimeout
      ? failure(url, 'timeout', 'it did not come in time; --timeout allows more', cause)
      : failure(url, 'aborted', 'it was interrupted', cause)
  }
  if (cause instanceof UsageError || cause instanceof ConnectionError) return cause
  return failure(url, 'other', (cause as Error).message, cause)
}

/** A file being downloaded: its type, and its bytes as they arrive. */
interface Download {
  contentType: string
  body: AsyncIterable<Uint8Array>
}

/** Opens a download, without the API key, because the URL may lead anywhere. */
type OpenDownload = (address: string, signal: AbortSignal, userAgent?: string) => Promise<Download>

/** The verbs of the two ways to an address, for an error: the service names the first, an answer the next. */
type Way = 'leads' | 'redirects'

const maxRedirects = 5

/**
 * Opens downloads from the network that a service names. Neither their first address nor a redirect may lead to another
 * origin on this machine or in a private network, by name or by address, which the service itself could not reach. Nor
 * from https to http.
 *
 * @throws ProofNotFoundError if there is no such file; ConnectionError for anything else but a 2xx
 */
export function downloadFromNetwork(baseUrl: string): OpenDownload {
  const service = new URL(baseUrl)
  return async (address, signal, userAgent = 'dlv') => {
    const first = webAddress(address, address)
    assertReachable(service, first, address, 'leads')
    return followed(first, service.origin, address, signal, userAgent)
  }
}

async function followed(
  first: URL,
  trusted: string,
  address: string,
  signal: AbortSignal,
  userAgent: string,
): Promise<Download> {
  let url = first
  for (let redirects = 0; ; redirects++) {
    const response = await get(url, signal, redirects === 0 ? 'leads' : 'redirects')
    const { statusCode = 0, headers } = response
    const isRedirect = statusCode >= 300 && statusCode < 400 && headers.location !== undefined
    if (!isRedirect && statusCode >= 200 && statusCode < 300)
      return { contentType: headers['content-type'] ?? '', body: response }
    response.destroy()
    if (isGone(statusCode)) throw new ProofNotFoundError(address)
    if (!isRedirect) throw failure(address, 'other', `the answer is ${statusCode}`)
    if (redirects === maxRedirects) throw failure(address, 'redirect', `it redirects more than ${maxRedirects} times`)
    url = redirected(url, headers.location ?? '', address)
  }

  /** Rejects private addresses that a name resolves to, when the connection is made. */
  function get(target: URL, abort: AbortSignal, way: Way): Promise<IncomingMessage> {
    const start = target.protocol === 'https:' ? httpsRequest : httpRequest
    const isElsewhere = target.origin !== trusted
    return new Promise((resolve, reject) => {
      const options = {
        agent: false as const,
        signal: abort,
        headers: {
          accept: 'image/*, application/pdf, */*;q=0.1',
          'accept-encoding': 'identity',
          'user-agent': userAgent,
        },
        ...(isElsewhere ? { lookup: publicLookup(address, way) } : {}),
      }
      start(target, options, resolve).on('error', reject).end()
    })
  }
}

/** Opens downloads of the sandbox in this process, whatever host their URLs name. */
export function downloadFromSandbox(sandbox: { fetch(request: Request): Promise<Response> }): OpenDownload {
  return async (address, signal, userAgent = 'dlv') => {
    const headers = { 'user-agent': userAgent }
    const response = await sandbox.fetch(new Request(webAddress(address, address).href, { signal, headers }))
    if (isGone(response.status)) throw new ProofNotFoundError(address)
    if (!response.ok || response.body === null) throw failure(address, 'other', `the answer is ${response.status}`)
    return { contentType: response.headers.get('content-type') ?? '', body: response.body }
  }
}

function webAddress(text: string, address: string): URL {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) throw failure(address, 'other', 'it is not a web address')
  return new URL(text)
}

function redirected(from: URL, location: string, address: string): URL {
  const to = URL.canParse(location, from.href) ? new URL(location, from) : undefined
  if (to === undefined || !/^https?:$/.test(to.protocol))
    throw failure(address, 'redirect', 'it redirects to no web address')
  assertReachable(from, to, address, 'redirects')
  return to
}

/** @throws ConnectionError for an address that may not follow from where it was named */
function assertReachable(from: URL, to: URL, address: string, way: Way): void {
  if (to.origin === from.origin) return
  if (from.protocol === 'https:' && to.protocol === 'http:')
    throw failure(address, 'redirect', `it ${way} from https to ${to.origin}`)
  if (isLoopback(to.hostname) || isPrivateAddress(to.hostname)) throw privateTarget(address, to.origin, way)
}

/** Resolves a name, and fails if it leads to this machine or a private network. */
function publicLookup(address: string, way: Way): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, options, (error, found, family) => {
      const addresses = typeof found === 'string' ? [found] : (found ?? []).map((entry) => entry.address)
      const isPrivate = addresses.some(isPrivateAddress)
      callback(error ?? (isPrivate ? privateTarget(address, hostname, way) : null), found, family)
    })
  }
}

function privateTarget(address: string, target: string, way: Way): ConnectionError {
  return failure(address, 'redirect', `it ${way} to ${target}, which is on this machine or in a private network`)
}

const isGone = (status: number) => status === 404 || status === 410

/** The error for a proof whose URL has no file. */
class ProofNotFoundError extends ConnectionError {
  constructor(address: string) {
    super(`The proof at ${address.slice(0, 200)} was not found.`, { reason: 'other', status: 404 })
  }
}

/** The error for a proof that cannot be downloaded. */
function failure(address: string, reason: ConnectionError['reason'], why: string, cause?: unknown): ConnectionError {
  return new ConnectionError(`Cannot fetch the proof at ${address.slice(0, 200)}: ${why}.`, { reason, cause })
}
