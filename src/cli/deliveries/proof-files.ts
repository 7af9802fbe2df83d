import { lstatSync, renameSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { ConnectionError, type ProofOfDelivery, UsageError } from '../../contract/index.js'
import { known } from '../../render/words.js'
import { makeFolder } from '../../shared/directory.js'
import { unwritable } from '../input/named-file.js'
import type { ProcessContext } from '../process/context.js'
import { failure, type OpenDownload, ProofNotFoundError } from './download.js'

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
