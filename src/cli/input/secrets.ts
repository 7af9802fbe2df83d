import { readFileSync } from 'node:fs'
import { UsageError } from '../../contract/index.js'
import { checkedKey, type NamedSecret } from '../../profiles/index.js'
import { parseSecret } from '../../webhooks/index.js'
import type { ProcessContext } from '../process/context.js'
import { askText } from './prompt.js'
import { pathOf, readInputText, unreadable } from './read.js'

/**
 * Reads an API key from standard input or a file, or prompts for it; never from an argument, which every user can see.
 */
export async function readApiKey(
  context: ProcessContext,
  flags: { 'api-key-stdin'?: boolean; 'api-key-file'?: string | undefined; 'no-input': boolean },
): Promise<string> {
  if (flags['api-key-stdin']) return oneKey(await readInputText(context, '-', '--api-key-stdin'))
  if (flags['api-key-file'] !== undefined)
    return oneKey(await readInputText(context, flags['api-key-file'], '--api-key-file'))
  const flag = '--api-key-stdin or --api-key-file'
  return oneKey(
    await askText(context, { text: 'API key (not shown):', flag, noInput: flags['no-input'], hidden: true }),
  )
}

function oneKey(text: string): string {
  const key = text.trim()
  if (key === '') throw new UsageError('The API key is empty.')
  return checkedKey(key)
}

/**
 * Reads webhook secrets from files, one per file, named after their files. Throws `UsageError` for an invalid secret.
 */
export function readSecretFiles(
  context: ProcessContext,
  files: readonly string[],
  flag = '--secret-file',
): NamedSecret[] {
  return files.map((file) => {
    let secret: string
    try {
      secret = readFileSync(pathOf(context, file), 'utf8').trim()
    } catch (cause) {
      throw unreadable(file, flag, cause)
    }
    parseSecret(secret)
    return { name: file.split(/[/\\]/).at(-1) ?? file, secret }
  })
}
