import { Flags } from '@oclif/core'
import { UsageError } from '../../contract/index.js'
import { checkedKey, exposureOf, type NamedSecret } from '../../profiles/index.js'
import { type ParsedSecret, parseSecret } from '../../webhooks/index.js'
import type { ProcessContext } from '../process/context.js'
import { askText } from './prompt.js'
import { keyFileBytes, pathOf, readInputText } from './read.js'

/**
 * Reads an API key from standard input or a file, or prompts for it; never from an argument, which every user can see.
 */
export async function readApiKey(
  context: ProcessContext,
  flags: { 'api-key-stdin'?: boolean; 'api-key-file'?: string | undefined; 'no-input': boolean },
): Promise<string> {
  const { 'api-key-stdin': isPiped, 'api-key-file': file } = flags
  if (isPiped) return oneKey(await readInputText(context, '-', '--api-key-stdin', keyFileBytes), 'standard input')
  if (file !== undefined) return oneKey(await readInputText(context, file, '--api-key-file', keyFileBytes), file)
  const flag = '--api-key-stdin or --api-key-file'
  const question = { text: 'API key (not shown):', flag, noInput: flags['no-input'], hidden: true }
  return oneKey(await askText(context, question), 'the prompt')
}

function oneKey(text: string, source: string): string {
  const key = text.trim()
  if (key === '') throw new UsageError('The API key is empty.')
  return checkedKey(key, source)
}

/**
 * Makes sure that signing secrets can be used, and warns of keys that are easy to guess.
 *
 * @throws UsageError that names the secret, and never quotes it
 */
export function checkSecrets(secrets: readonly NamedSecret[], warn: (text: string) => void): void {
  for (const named of secrets) {
    for (const warning of checkedSecret(named).warnings) warn(`${named.name}: ${warning}.`)
  }
}

/**
 * A secret that can be used.
 *
 * @throws UsageError that names the secret, and never quotes it
 */
export function checkedSecret(named: NamedSecret): ParsedSecret {
  try {
    return parseSecret(named.secret, named)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    throw new UsageError(`${named.name}: ${error.message}`, { hint: error.hint })
  }
}

/**
 * Signing secrets out of files, one per file, named after their files. Warns of files that other users can read.
 *
 * @throws UsageError if a secret cannot be used
 */
export async function readSecretFiles(
  context: ProcessContext,
  files: readonly string[],
  warn: (text: string) => void,
  { flag = '--secret-file', allowWeak }: { flag?: string; allowWeak?: boolean | undefined } = {},
): Promise<NamedSecret[]> {
  const secrets: NamedSecret[] = []
  for (const file of files) {
    const secret = (await readInputText(context, file, flag, keyFileBytes)).trim()
    const name = file.split(/[/\\]/).at(-1) ?? file
    const named: NamedSecret = allowWeak ? { name, secret, allowWeak } : { name, secret }
    checkSecrets([named], () => {})
    const exposure = exposureOf(pathOf(context, file))
    if (exposure !== undefined) warn(exposure)
    secrets.push(named)
  }
  return secrets
}

/** Takes keys that can be guessed, which tests of others may have. */
export const allowWeakSecretFlag = {
  'allow-weak-secret': Flags.boolean({ summary: 'Take a secret that is too short, for tests' }),
}
