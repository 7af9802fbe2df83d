import { Args } from '@oclif/core'
import { BaseCommand } from '../cli/command/base-command.js'
import { type Candidate, type CompletedCommand, candidatesFor } from '../cli/completion/candidates.js'
import { ServiceList } from '../cli/installations/service-list.js'
import { embeddedControl, servedControl } from '../cli/sandbox/control.js'
import { readAliases } from '../cli/user-commands/alias-file.js'
import type { Client } from '../client/index.js'
import { type DeliveryListItem, DlvError } from '../contract/index.js'
import { readProfiles } from '../profiles/index.js'
import { plainText } from '../render/plain-text.js'
import { deliveryWord } from '../shared/command-words.js'
import { dayMs } from '../shared/durations.js'

/** A key press must not wait long for a service. */
const patienceMs = 1_500
/** A word that every shell reads as itself, and no command as a flag. */
const plainWord = /^(?:id:)?[\w./+][\w.@/+-]*$/
/** List items have no store, so some deliveries are read in full. */
const readForStores = 5

export default class Complete extends BaseCommand {
  static override summary = 'Print what may come next on a line, for the completion scripts.'
  static override hidden = true
  static override strict = false
  static override args = { words: Args.string({ description: 'The line so far', ignoreStdin: true, multiple: true }) }

  async run(): Promise<Candidate[]> {
    const { argv } = await this.parse(Complete)
    const words = argv as string[]
    // Nothing but the candidates is read.
    this.session.account.saysEmbedded = false
    this.session.flags = { ...this.session.flags, profile: profileIn(words) ?? this.session.flags.profile }
    const program = { commands: [...this.config.commands, ...this.aliases()], topics: this.config.topics }
    const candidates = await candidatesFor(words, program, {
      profiles: async () => ['local', ...Object.keys(readProfiles(this.config.configDir).profiles)],
      recentDeliveries: (current) => this.orNothing(() => this.recentDeliveries(current)),
      stores: () => this.orNothing(() => this.stores()),
      snapshots: () => this.orNothing(() => this.snapshots()),
      installations: () => this.orNothing(() => this.installations()),
    })
    for (const { word, text } of candidates)
      await this.session.output.text(text === undefined ? word : `${word}\t${plainText(text)}`)
    return candidates
  }

  /** The user's aliases, which stand where a command may; none if their file cannot be read. */
  private aliases(): CompletedCommand[] {
    try {
      return Array.from(readAliases(this.config.configDir), ([name, expansion]) => ({
        id: name,
        summary: expansion,
        flags: {},
        args: {},
      }))
    } catch (error) {
      if (error instanceof DlvError) return []
      throw error
    }
  }

  /** Plain words that the service has; none if it does not respond at once. */
  private async orNothing(look: () => Promise<Candidate[]>): Promise<Candidate[]> {
    try {
      return (await look()).filter(({ word }) => plainWord.test(word))
    } catch (error) {
      if (error instanceof DlvError) return []
      throw error
    }
  }

  /** Deliveries by reference; by id if the word begins one, or if the reference is not a plain word. */
  private async recentDeliveries(current: string): Promise<Candidate[]> {
    const isId = /^(?:del_|id:)/.test(current)
    return (await this.listed(await this.client())).map(({ deliveryId, clientOrderReference, status }) =>
      isId || clientOrderReference == null || !plainWord.test(clientOrderReference)
        ? { word: deliveryWord(deliveryId), text: [clientOrderReference, status].filter(Boolean).join(', ') }
        : { word: clientOrderReference, text: `${deliveryId}, ${status}` },
    )
  }

  /** The newest deliveries; in a sandbox, all deliveries. */
  private async stores(): Promise<Candidate[]> {
    const client = await this.client()
    const newest = (await this.listed(client)).slice(0, readForStores)
    const read = await Promise.all(newest.map(({ deliveryId }) => client.getDelivery({ deliveryId })))
    const known = (await this.session.account.isOwnSandbox(await this.session.account.settings()))
      ? (await import('../sandbox/internal.js')).stores
      : []
    const used = read.flatMap(({ pickup }) => (pickup?.storeReference == null ? [] : [pickup]))
    const texts = new Map([...known, ...used].map((store) => [store.storeReference ?? '', store.businessName]))
    return [...texts].map(([word, text]) => ({ word, text: text ?? undefined }))
  }

  private async snapshots(): Promise<Candidate[]> {
    const { baseUrl } = await this.session.account.settings({ needsKey: false })
    const control =
      baseUrl === undefined
        ? embeddedControl(await this.session.account.sandbox())
        : await servedControl(baseUrl, this.session.account.proofPlace)
    const { snapshots } = (await control('GET', '/snapshots')) as { snapshots: { name: string }[] }
    return snapshots.map(({ name }) => ({ word: name }))
  }

  /** Those of the service's list if it was asked for today, or those of the sandbox; nothing is asked for a key press. */
  private async installations(): Promise<Candidate[]> {
    const kept = await new ServiceList(this.session).kept()
    return kept.map(({ code, name }) => ({ word: code, text: name ?? undefined }))
  }

  private client(): Promise<Client> {
    return this.session.client({ timeoutMs: patienceMs, retries: { maxRetries: 0 } })
  }

  private async listed(client: Client): Promise<readonly DeliveryListItem[]> {
    const from = new Date((await this.session.nowMsFor(client, '24h')) - dayMs).toISOString()
    return (await client.listDeliveries({ query: { from, limit: 30 } })).deliveries
  }
}

/** The profile that the line being completed names. */
function profileIn(words: readonly string[]): string | undefined {
  const at = words.findIndex((word) => word === '-P' || word === '--profile')
  if (at !== -1 && at < words.length - 1) return words[at + 1]
  return words.find((word) => word.startsWith('--profile='))?.slice('--profile='.length)
}
