import type { Client } from '../../client/index.js'
import { type DeliveryListItem, DlvError } from '../../contract/index.js'
import { deliveryWord } from '../../shared/command-words.js'
import { dayMs } from '../../shared/durations.js'
import { ServiceList } from '../installations/service-list.js'
import { embeddedControl, servedControl } from '../sandbox/control.js'
import type { Session } from '../session/session.js'
import type { Candidate } from './candidates.js'

/** A key press must not wait long for a service. */
const patienceMs = 1_500
/** A word that every shell reads as itself, and no command as a flag. */
const plainWord = /^(?:id:)?[\w./+][\w.@/+-]*$/
/** List items have no store, so some deliveries are read in full. */
const readForStores = 5

/** What an account has that a line may name next. Nothing that does not answer at once. */
export class AccountWords {
  constructor(private readonly session: Session) {}

  recentDeliveries = (current: string) => this.orNothing(() => this.readDeliveries(current))
  stores = () => this.orNothing(() => this.readStores())
  snapshots = () => this.orNothing(() => this.readSnapshots())
  installations = () => this.orNothing(() => this.readInstallations())

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
  private async readDeliveries(current: string): Promise<Candidate[]> {
    const isId = /^(?:del_|id:)/.test(current)
    return (await this.listed(await this.client())).map(({ deliveryId, clientOrderReference, status }) =>
      isId || clientOrderReference == null || !plainWord.test(clientOrderReference)
        ? { word: deliveryWord(deliveryId), text: [clientOrderReference, status].filter(Boolean).join(', ') }
        : { word: clientOrderReference, text: `${deliveryId}, ${status}` },
    )
  }

  /** The newest deliveries; in a sandbox, all deliveries. */
  private async readStores(): Promise<Candidate[]> {
    const client = await this.client()
    const newest = (await this.listed(client)).slice(0, readForStores)
    const read = await Promise.all(newest.map(({ deliveryId }) => client.getDelivery({ deliveryId })))
    const known = (await this.session.account.isOwnSandbox(await this.session.account.settings()))
      ? (await import('../../sandbox/internal.js')).stores
      : []
    const used = read.flatMap(({ pickup }) => (pickup?.storeReference == null ? [] : [pickup]))
    const texts = new Map([...known, ...used].map((store) => [store.storeReference ?? '', store.businessName]))
    return [...texts].map(([word, text]) => ({ word, text: text ?? undefined }))
  }

  private async readSnapshots(): Promise<Candidate[]> {
    const { baseUrl } = await this.session.account.settings({ needsKey: false })
    const control =
      baseUrl === undefined
        ? embeddedControl(await this.session.account.sandbox())
        : await servedControl(baseUrl, this.session.account.proofPlace)
    const { snapshots } = (await control('GET', '/snapshots')) as { snapshots: { name: string }[] }
    return snapshots.map(({ name }) => ({ word: name }))
  }

  /** Those of the service's list if it was asked for today, or those of the sandbox; nothing is asked for a key press. */
  private async readInstallations(): Promise<Candidate[]> {
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
