import { statSync } from 'node:fs'
import { type NamedSecret, profileFilePath, profileNamed, readProfiles } from '../../profiles/index.js'
import { parseSecret } from '../../webhooks/index.js'

/**
 * The secrets of a profile as they are stored whenever they are asked for: the file is read again once it has changed.
 * A file that cannot be used changes nothing.
 */
export function followedSecrets(
  configDir: string,
  profile: string,
  first: readonly NamedSecret[],
): () => readonly NamedSecret[] {
  const file = profileFilePath(configDir)
  let current = first
  let seen: string | undefined
  return () => {
    const stamp = stampOf(file)
    if (stamp === seen) return current
    try {
      const secrets = profileNamed(readProfiles(configDir), profile)?.webhookSecrets ?? []
      for (const named of secrets) parseSecret(named.secret, named)
      current = secrets
    } catch {
      // The next change may be a better one.
    }
    seen = stamp
    return current
  }
}

function stampOf(file: string): string {
  try {
    const { ino, mtimeNs, size } = statSync(file, { bigint: true })
    return `${ino} ${mtimeNs} ${size}`
  } catch {
    return ''
  }
}
