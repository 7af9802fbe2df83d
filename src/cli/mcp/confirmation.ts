import { timingSafeEqual } from 'node:crypto'
import { closeSync, openSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { authenticated, directoryKey } from '../../profiles/index.js'
import { canonicalJson } from '../../shared/canonical-json.js'
import { makeFolder } from '../../shared/directory.js'
import { minuteMs } from '../../shared/durations.js'

/** Who says yes: the agent, with the token of a preview, or a person, to whom the client shows the question. */
export type Confirmer = 'agent' | 'person'

const lifeMs: Readonly<Record<Confirmer, number>> = { agent: 2 * minuteMs, person: 10 * minuteMs }

const tooLate: Readonly<Record<Confirmer, string>> = {
  agent: 'The token has expired: it is good for two minutes. Nothing was sent; call without confirm for a new preview.',
  person: 'The yes came too late: a person has ten minutes to answer. Nothing was sent; call again to ask again.',
}

/** One call: a tool with its arguments, and who confirms it. */
interface ConfirmedCall {
  by: Confirmer
  tool: string
  input: unknown
}

/**
 * Tokens that confirm one call with exactly these arguments, once. They are good for all processes of this machine on this
 * account: some clients start a server for each call.
 */
export interface Confirmations {
  issue(call: ConfirmedCall): Promise<{ token: string; expiresAt: string }>
  /** Why a token does not confirm the call; `undefined` if it does, and then it is used up. */
  refusal(token: string, call: ConfirmedCall): Promise<string | undefined>
}

export interface ConfirmationOptions {
  dataDir: string
  /** The account's name in the data directory. */
  account: string
  nowMs(): number
}

export function confirmations({ dataDir, account, nowMs }: ConfirmationOptions): Confirmations {
  const seal = async ({ by, tool, input }: ConfirmedCall, expiresAtMs: number) =>
    authenticated(await directoryKey(dataDir), ['confirmation', account, expiresAtMs, by, tool, canonicalJson(input)])
  return {
    async issue(call) {
      const expiresAtMs = nowMs() + lifeMs[call.by]
      const token = `${expiresAtMs.toString(36)}.${await seal(call, expiresAtMs)}`
      return { token, expiresAt: new Date(expiresAtMs).toISOString() }
    },
    async refusal(token, call) {
      const [expiry = '', mark = ''] = token.split('.')
      const expiresAtMs = Number.parseInt(expiry, 36)
      const [given, expected] = [Buffer.from(mark), Buffer.from(await seal(call, expiresAtMs))]
      if (given.length !== expected.length || !timingSafeEqual(given, expected))
        return 'The token is not for this call: it confirms exactly the arguments that it was issued for, on this machine and account.'
      if (nowMs() > expiresAtMs) return tooLate[call.by]
      // Not the token as it came: other spellings of its time are the same token.
      if (!isFirstUse(join(dataDir, 'confirmed'), `${expiresAtMs.toString(36)}.${mark}`, nowMs()))
        return 'The token has been used already. Nothing was sent again; call without confirm to see how it stands.'
      return undefined
    },
  }
}

/**
 * Notes that a token is used, and whether no process has noted it before: the file system creates a file once.
 *
 * @throws the file system's error if that cannot be noted
 */
function isFirstUse(folder: string, name: string, nowMs: number): boolean {
  makeFolder(folder)
  // Nobody takes an expired token; a day allows for a clock that is set back.
  for (const old of readdirSync(folder))
    if (Number.parseInt(old.split('.')[0] ?? '', 36) < nowMs - 24 * 60 * minuteMs)
      rmSync(join(folder, old), { force: true })
  try {
    closeSync(openSync(join(folder, name), 'wx', 0o600))
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}
