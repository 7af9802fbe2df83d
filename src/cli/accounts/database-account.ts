import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { DatabaseAccount } from '../../postgres/index.js'
import { type AccountRecord, authenticatedText, directoryKey, sharedFingerprint } from '../../profiles/index.js'

/** An account for databases that other machines share, which know it by its key. */
export function databaseAccount({ mark, baseUrl }: AccountRecord, apiKey: string | undefined): DatabaseAccount {
  const isShared = baseUrl !== null && apiKey !== undefined
  return {
    mark,
    service: baseUrl ?? 'embedded sandbox',
    fingerprint: async (salt) => (isShared ? sharedFingerprint(`${baseUrl} ${apiKey}`, salt) : undefined),
  }
}

/** Whose runs of which input are read of a database. */
export async function databaseOwner(
  account: AccountRecord,
  apiKey: string | undefined,
  input: string | undefined,
): Promise<{ account: DatabaseAccount; content: string | undefined }> {
  const content = input === undefined ? undefined : await contentOf(input)
  return { account: databaseAccount(account, apiKey), content }
}

/** What authenticates what results say: only this data directory can make it. */
export async function resultsSeal(dataDir: string): Promise<((text: string) => string) | undefined> {
  try {
    const key = await directoryKey(dataDir)
    return (text) => authenticatedText(key, 'results ', text)
  } catch (error) {
    // Results are not counted again where nothing can be kept.
    if (!(error instanceof Error && 'syscall' in error)) throw error
    const { randomBytes } = process.getBuiltinModule('node:crypto')
    const once = randomBytes(32)
    return (text) => authenticatedText(once, 'results ', text)
  }
}

/** A hash of a file's content; `undefined` for what can be read only once. */
async function contentOf(path: string): Promise<string | undefined> {
  const stats = await stat(path).catch(() => undefined)
  if (stats?.isFile() !== true) return undefined
  const hash = process.getBuiltinModule('node:crypto').createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
  return hash.digest('hex')
}
