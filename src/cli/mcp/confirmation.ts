import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { canonicalJson } from '../../shared/canonical-json.js'

/** The lifetime of a token. */
const tokenMs = 120_000

/** Tokens that confirm one call with exactly these arguments, once, for two minutes. */
export interface Confirmations {
  issue(tool: string, input: unknown): { token: string; expiresAt: string }
  /** Why a token does not confirm the call; `undefined` if it does, and then it is used up. */
  refusal(token: string, tool: string, input: unknown): string | undefined
}

export function confirmations(nowMs: () => number): Confirmations {
  const key = randomBytes(32)
  const used = new Set<string>()
  const seal = (tool: string, input: unknown, expiresAtMs: number) =>
    createHmac('sha256', key)
      .update(`${expiresAtMs}\n${tool}\n${canonicalJson(input)}`)
      .digest('base64url')
  return {
    issue(tool, input) {
      const expiresAtMs = nowMs() + tokenMs
      const token = `${expiresAtMs.toString(36)}.${seal(tool, input, expiresAtMs)}`
      return { token, expiresAt: new Date(expiresAtMs).toISOString() }
    },
    refusal(token, tool, input) {
      const [expiry = '', mark = ''] = token.split('.')
      const expiresAtMs = Number.parseInt(expiry, 36)
      const [given, expected] = [Buffer.from(mark), Buffer.from(seal(tool, input, expiresAtMs))]
      if (given.length !== expected.length || !timingSafeEqual(given, expected))
        return 'The token is not for this call: it confirms exactly the arguments that it was issued for.'
      if (nowMs() > expiresAtMs) return 'The token has expired; tokens are good for two minutes.'
      if (used.has(token)) return 'The token has been used already.'
      used.add(token)
      return undefined
    },
  }
}
