import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from '../../client/index.js'
import { DlvError } from '../../contract/index.js'
import { readBoundedFile } from '../../shared/directory.js'
import { dayMs } from '../../shared/durations.js'
import { isRecord, tryParseJson } from '../../shared/json.js'
import { installationListFile } from '../accounts/kept-data.js'
import type { Account } from '../session/account.js'
import type { CommandConfig } from '../session/tools.js'
import { allBases } from './bases.js'
import type { ListedInstallation } from './find-installation.js'

/** An optional look must not take long. */
const limitMs = 5_000
const pageSize = 100

/** The parts of a session that a look at the service's list needs. */
export interface ListSession {
  account: Account
  config: CommandConfig
  nowMs(): number
  client(options?: { saysWaiting?: boolean }): Promise<Client>
}

/**
 * The installations that the account's service lists. The contract allows to keep the list for a day; access policies are
 * not in it. The sandbox in this process lists what is known without asking it.
 */
export class ServiceList {
  #loaded: Promise<readonly ListedInstallation[] | undefined> | undefined
  /** The list, once it was loaded. */
  known: readonly ListedInstallation[] | undefined
  #isFetched = false

  constructor(private readonly session: ListSession) {}

  /** The list, of today or asked for now; `undefined` if the service cannot tell it. */
  load(): Promise<readonly ListedInstallation[] | undefined> {
    this.#loaded ??= this.#read()
    return this.#loaded
  }

  /** The list as it is now, unless it was just asked for: a name that the kept one lacks may be new. */
  async renewed(): Promise<readonly ListedInstallation[] | undefined> {
    const known = await this.load()
    if (this.#isFetched || known === undefined) return known
    this.#loaded = this.#fetched(await this.#file())
    return (await this.#loaded) ?? known
  }

  /** The list of today, without a request; without one, the sandbox's. */
  async kept(): Promise<readonly ListedInstallation[]> {
    const { baseUrl } = await this.session.account.settings({ needsKey: false })
    const file = baseUrl === undefined ? undefined : await this.#file()
    return (file === undefined ? undefined : keptList(file, this.session.nowMs())) ?? sandboxList()
  }

  async #read(): Promise<readonly ListedInstallation[] | undefined> {
    try {
      const { baseUrl } = await this.session.account.settings({ needsKey: false })
      if (baseUrl === undefined) {
        this.#isFetched = true
        this.known = sandboxList()
        return this.known
      }
      const file = await this.#file()
      const kept = file === undefined ? undefined : keptList(file, this.session.nowMs())
      this.known = kept
      return kept ?? (await this.#fetched(file))
    } catch (error) {
      if (error instanceof DlvError) return undefined
      throw error
    }
  }

  async #file(): Promise<string | undefined> {
    return installationListFile(this.session.config.dataDir, await this.session.account.dataName())
  }

  async #fetched(file: string | undefined): Promise<readonly ListedInstallation[] | undefined> {
    this.#isFetched = true
    try {
      const client = await this.session.client({ saysWaiting: false })
      const installations: ListedInstallation[] = []
      const options = { timeoutMs: limitMs, retries: { maxRetries: 0 } }
      for await (const one of client.each('listInstallations', { limit: pageSize }, options))
        installations.push({ code: one.code, name: one.name, state: one.state })
      this.known = installations
      if (file !== undefined) keepList(file, installations, this.session.nowMs())
      return installations
    } catch (error) {
      if (error instanceof DlvError) return undefined
      throw error
    }
  }
}

function sandboxList(): ListedInstallation[] {
  return allBases().flatMap(({ code, name, state }) => (code === undefined ? [] : [{ code, name, state }]))
}

function keptList(file: string, nowMs: number): ListedInstallation[] | undefined {
  if (!existsSync(file)) return undefined
  const kept = tryParseJson(readBoundedFile(file, 16 * 1_048_576))?.value
  if (!isRecord(kept) || typeof kept.askedAtMs !== 'number' || !Array.isArray(kept.installations)) return undefined
  if (kept.askedAtMs > nowMs || kept.askedAtMs + dayMs <= nowMs) return undefined
  return kept.installations.filter((one) => isRecord(one) && typeof one.code === 'string') as ListedInstallation[]
}

/** A list that cannot be kept is asked for again. */
function keepList(file: string, installations: readonly ListedInstallation[], askedAtMs: number): void {
  try {
    mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 })
    writeFileSync(file, `${JSON.stringify({ askedAtMs, installations })}\n`, { mode: 0o600 })
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
  }
}
