import { timingSafeEqual } from 'node:crypto'
import { Agent, type IncomingMessage, request } from 'node:http'
import { ConnectionError, UsageError } from '../../contract/index.js'
import type { Settings } from '../../profiles/index.js'
import {
  ensureProofSecret,
  newChallenge,
  sandboxProof,
  secretFile,
  socketName,
} from '../../sandbox/owner-proof/index.js'
import { tryParseJson } from '../../shared/json.js'
import { isLoopback } from '../../shared/web-address.js'

/** The location of the proof's secret: the variables, or the data directory of this user. */
export interface ProofPlace {
  env: Readonly<Record<string, string | undefined>>
  dataDir: string
}

type Served = Pick<Settings, 'baseUrl' | 'environment'>

const patienceMs = 2_000
const mostBytes = 4_096

/**
 * Whether the service of an account is a sandbox of this user: the embedded one, or a served one that proves it. An
 * address proves nothing, because behind loopback may be a tunnel to the real service. Sends no key.
 */
export async function isOwnSandbox(account: Served, place: ProofPlace): Promise<boolean> {
  if (account.environment === 'production') return false
  if (account.baseUrl === undefined) return true
  try {
    await provenSandbox(account.baseUrl, place)
    return true
  } catch (error) {
    if (error instanceof UsageError || error instanceof ConnectionError) return false
    throw error
  }
}

/**
 * The origin of a served sandbox that has just proved to belong to this user.
 *
 * @throws UsageError if it has not; ConnectionError if nothing answers
 */
export async function provenSandbox(baseUrl: string, place: ProofPlace): Promise<string> {
  const { origin, hostname, protocol, port } = new URL(baseUrl)
  if (protocol !== 'http:' || !isLoopback(hostname))
    throw new UsageError(`${origin} is not a dlv sandbox on this machine; no other service can be controlled.`, {
      hint: 'Start one with dlv sandbox start, or use the embedded one with -P local.',
    })
  const secret = ensureProofSecret(place.env, place.dataDir)
  if (secret === undefined)
    throw new UsageError(
      `${secretFile(place.dataDir)} cannot be created, is damaged, or does not belong to you only.`,
      {
        hint: 'Delete it, set DLV_DATA_DIR to a directory of your own, or set the same DLV_SANDBOX_SECRET for the sandbox and this command.',
      },
    )
  const challenge = newChallenge()
  const { address, proof } = await ask(origin, challenge)
  const expected = Buffer.from(sandboxProof(secret, challenge, socketName(address, Number(port || 80))))
  const given = Buffer.from(proof)
  if (given.length === expected.length && timingSafeEqual(given, expected)) {
    if (secret.isShared || address === undefined) return origin
    // The name could lead to another address next time.
    return `http://${address.includes(':') ? `[${address}]` : address}:${port || 80}`
  }
  throw new UsageError(`${origin} did not prove that it is your sandbox, so it was not controlled.`, {
    hint: 'Start it with dlv sandbox start as the same user with the same DLV_DATA_DIR, or set the same DLV_SANDBOX_SECRET for both.',
  })
}

/** The answer to a challenge, and the address that gave it. No redirect is followed, and no proxy asked. */
function ask(origin: string, challenge: string): Promise<{ address: string | undefined; proof: string }> {
  return new Promise((resolve, reject) => {
    const fail = (cause: Error) =>
      reject(new ConnectionError(`Nothing answers at ${origin}/_sandbox.`, { reason: 'refused', cause }))
    const sent = request(
      `${origin}/_sandbox/ready?challenge=${challenge}`,
      { agent: new Agent(), signal: AbortSignal.timeout(patienceMs) },
      (answer: IncomingMessage) => {
        const address = answer.socket.remoteAddress
        let text = ''
        answer.setEncoding('utf8')
        answer.on('error', fail)
        answer.on('data', (piece: string) => {
          text += piece
          if (text.length > mostBytes) answer.destroy(new Error('The answer is too long'))
        })
        answer.on('end', () => {
          const value = answer.statusCode === 200 ? tryParseJson(text)?.value : undefined
          resolve({ address, proof: String((value as { proof?: unknown } | undefined)?.proof ?? '') })
        })
      },
    )
    sent.on('error', fail)
    sent.end()
  })
}
