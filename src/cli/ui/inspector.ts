import { join } from 'node:path'
import { Flags } from '@oclif/core'
import type { ArchiveReader } from '../../archive/index.js'
import type { Delivery } from '../../contract/index.js'
import type { Settings } from '../../profiles/index.js'
import type { SentLedger } from '../../sent/index.js'
import { shellWord } from '../../shared/command-words.js'
import { dayMs } from '../../shared/durations.js'
import type { Backend, Control, DeliveryList, Inspector } from '../../ui/index.js'
import { templateFor } from '../orders/template-order.js'
import type { Notices } from '../output/notices.js'
import type { ReportSource } from '../report/gather.js'
import type { CommandConfig } from '../session/session.js'

/** The parts of a page that depend on the command which shows it. */
export type InspectedParts = Pick<Backend, 'client'> &
  Partial<Pick<Backend, 'control' | 'journal' | 'listener' | 'command' | 'mark'>> & {
    /** The current secrets. */
    secrets?: () => Backend['secrets']
    /** The sandbox in this process, which serves proof images. */
    sandbox?: { fetch(request: Request): Promise<Response>; readonly isServed: boolean }
  }

/** The values that the page takes from the command. */
interface InspectorSurroundings {
  settings: Pick<Settings, 'profile' | 'environment' | 'baseUrl' | 'apiKey' | 'sources'>
  /** The name that the account's data is kept under. */
  dataName: string
  config: Pick<CommandConfig, 'version' | 'dataDir' | 'context'>
  notices: Notices
}

/** The flag of commands that can show the page beside what they do. */
export const uiFlag = {
  ui: Flags.boolean({ summary: 'Show it in the browser, as dlv ui does' }),
}

/** The user agent of the page's own reads, which its stream leaves out. */
const pageAgent = 'dlv-inspector'

/** The client of a page: somebody waits for each answer, and can try again. A window of a second is worth waiting for. */
export async function pageClient() {
  const { createPacer } = await import('../../client/index.js')
  // A report reads many pages: with one pacer, nothing else on the page is refused meanwhile.
  return { userAgent: pageAgent, retries: { maxRetries: 2 }, maxWaitMs: 2_500, pacer: createPacer() }
}

const downloadLimitMs = 20_000

/** An account of a page. */
export interface InspectedAccount extends InspectorSurroundings {
  parts: InspectedParts
}

/** What a page shows: an account, or several that are each shown with their profile. */
export interface Inspected {
  notices: Notices
  accounts: readonly InspectedAccount[]
  areSeveral: boolean
  /** Those of several that could not be opened, with the reason. */
  unopened: readonly { profile: string; message: string }[]
}

/** Serves the page of one account or several. Its code is loaded only here. */
export async function openInspector(
  { accounts, areSeveral, unopened, notices }: Inspected,
  port: { port?: number; orFreePort?: boolean },
): Promise<Inspector> {
  const { startInspector } = await import('../../ui/index.js')
  const all = await Promise.all(accounts.map((one) => inspected(one, areSeveral)))
  const page = {
    ...port,
    onError: (error: unknown) => notices.warnOf(error),
    backends: all.map(({ backend }) => backend),
  }
  if (!areSeveral) return startInspector(page)
  return startInspector({
    ...page,
    areSeveral,
    unopened,
    reports: async (profiles, request) => {
      const { pageReports } = await import('./page-reports.js')
      return pageReports(
        all.filter(({ backend }) => profiles.includes(backend.profile)),
        request,
      )
    },
  })
}

/** The backend of an account and its archive. */
async function inspected({ parts, ...surroundings }: InspectedAccount, isOneOfSeveral: boolean) {
  const [
    { serviceNowMs },
    { accounts, knownPlaces },
    { openSentLedger },
    { downloadFromNetwork, downloadFromSandbox },
    { keyRemedyOf },
  ] = await Promise.all([
    import('../../client/internal.js'),
    import('../../sandbox/internal.js'),
    import('../session/sent-ledger.js'),
    import('../deliveries/proof-files.js'),
    import('../output/outage.js'),
  ])
  const { settings, config, notices } = surroundings
  const { nowMs } = config.context
  // Alone, the default account sees the whole sandbox.
  const ofDefault = isOneOfSeveral ? accounts[0].accountId : undefined
  const owner = parts.control && (await ownerIn(parts.control, settings))
  // Of several, one whose key is no account's is shown with the service's refusal.
  if (!isOneOfSeveral && owner?.failure !== undefined) throw owner.failure
  const control = owner?.failure === undefined ? parts.control : undefined
  const { client, journal, listener, mark, secrets = () => [], sandbox } = parts
  const open = sandbox === undefined ? downloadFromNetwork(settings.baseUrl ?? '') : downloadFromSandbox(sandbox)
  const ledger = openSentLedger(join(config.dataDir, 'orders.db'), surroundings.dataName, { nowMs, notices })
  const placesOf: Backend['placesOf'] = (delivery) => {
    const { store, ...places } = knownPlaces(delivery)
    // A service of somebody else has other stores, which may have the same references.
    return control === undefined ? places : { store, ...places }
  }
  const ofService = () => serviceNowMs(client, nowMs, { baseUrl: settings.baseUrl })
  const archive = new PageArchive(client, ofService, ledger, surroundings, placesOf)
  const readOnly = settings.environment === 'production'
  const backend: Backend = {
    version: config.version,
    profile: settings.sources.profile === 'none' ? 'no profile' : settings.profile,
    environment: settings.environment,
    service: settings.baseUrl ?? 'embedded sandbox',
    command: parts.command ?? commandOf(settings),
    client,
    keyRemedy: keyRemedyOf(settings),
    account: control === undefined ? undefined : (owner?.accountId ?? ofDefault),
    control,
    journal,
    listener,
    mark,
    get secrets() {
      return secrets()
    },
    readOnly,
    download: (url) => open(url, AbortSignal.timeout(downloadLimitMs), pageAgent),
    promises: () => ledger.read(),
    sent: ({ clientOrderReference }) => ledger.factsOf(clientOrderReference) ?? null,
    keepOrdered(order) {
      ledger.noted(order)
      ledger.flush()
    },
    keepMoved(delivery, patch) {
      ledger.moved(delivery, patch)
      ledger.flush()
    },
    board: (request) => archive.board(request),
    report: (request) => archive.report(request),
    list: (query) => archive.list(query),
    underWayTo: (codes) => archive.underWayTo(codes),
    placesOf,
    explain: (delivery) => explained(delivery, readOnly),
    orderLike: async (delivery, sent) => {
      const { orderLike } = await import('../orders/order-like.js')
      return orderLike(delivery, { reference: undefined, sent, nowMs: nowMs() }).order
    },
    hasTrackingPages: () => sandbox?.isServed ?? true,
    exampleOrder: templateFor({ isOwnSandbox: control !== undefined }),
    ownAgent: pageAgent,
    nowMs,
    serviceNowMs: ofService,
  }
  return { backend, archive }
}

/** The account of a sandbox that the page shows; `undefined` for the default one. */
async function ownerIn(control: Control, settings: InspectorSurroundings['settings']) {
  const { accountIdOf } = await import('../sandbox/control.js')
  try {
    return { accountId: await accountIdOf(control, settings) }
  } catch (failure) {
    return { failure }
  }
}

/** The oldest creation of lists, by the service's time. */
const month = (serviceMs: number) => serviceMs - 30 * dayMs

/** The page's queries of the account's archive, which is brought up to date first. */
class PageArchive {
  #list: DeliveryList | undefined
  #lastTurn = Promise.resolve()

  constructor(
    readonly client: Backend['client'],
    readonly serviceNowMs: Backend['serviceNowMs'],
    readonly ledger: SentLedger,
    readonly around: InspectorSurroundings,
    readonly placesOf: Backend['placesOf'],
  ) {}

  /** The archive for a report on a period that ends now; to be closed. */
  async openReport(spanMs: number): Promise<ReportSource & { fromMs: number; toMs: number }> {
    const { refuseTooEarly, startOfBoth } = await import('../report/gather.js')
    const periodTo = (toMs: number) => ({ fromMs: toMs - spanMs, toMs })
    const archive = await this.#current((serviceMs) => startOfBoth(periodTo(serviceMs), serviceMs))
    const period = periodTo(this.around.config.context.nowMs() + archive.clockAheadMs)
    refuseTooEarly(archive, period)
    return { archive, promises: this.ledger.read(), ...period }
  }

  async report(request: Parameters<Backend['report']>[0]): ReturnType<Backend['report']> {
    const { gatherReport, startOfBoth } = await import('../report/gather.js')
    const fromMs = (serviceMs: number) => startOfBoth(request, serviceMs)
    return this.#using(fromMs, async (archive) => gatherReport([{ archive, promises: this.ledger.read() }], request))
  }

  async board({ spanMs, most }: Parameters<Backend['board']>[0]): ReturnType<Backend['board']> {
    const { boardOf } = await import('./page-archive.js')
    const nowMs = this.around.config.context.nowMs
    return this.#using(month, async (archive) => {
      const fromMs = nowMs() + archive.clockAheadMs - spanMs
      return boardOf(archive, { fromMs, most, promises: this.ledger.read(), placesOf: this.placesOf })
    })
  }

  async underWayTo(codes: ReadonlySet<string>): ReturnType<Backend['underWayTo']> {
    const { ordersUnderWay } = await import('./page-archive.js')
    return this.#using(month, async (archive) => {
      const fromMs = month(this.around.config.context.nowMs() + archive.clockAheadMs)
      return ordersUnderWay(archive, { codes, fromMs, sent: this.ledger.read().installations })
    })
  }

  async list(query: Parameters<DeliveryList>[0]): ReturnType<DeliveryList> {
    this.#list ??= await this.#openList()
    return this.#list(query)
  }

  async #openList(): Promise<DeliveryList> {
    const [{ archivePaths }, { archivedList }] = await Promise.all([
      import('../../archive/index.js'),
      import('./page-archive.js'),
    ])
    const { dataName, config, notices } = this.around
    const paths = archivePaths(config.dataDir, dataName)
    return archivedList(
      paths,
      () => this.#current(month),
      (error) => notices.warnOf(error),
    )
  }

  async #using<Result>(fromMs: typeof month, use: (archive: ArchiveReader) => Promise<Result>): Promise<Result> {
    const archive = await this.#current(fromMs)
    try {
      return await use(archive)
    } finally {
      archive.close()
    }
  }

  /** One after another: what finds the archive being filled takes it for current enough, and shows less. */
  #current(fromMs: typeof month): Promise<ArchiveReader> {
    const turn = this.#lastTurn.then(() => this.#openCurrent(fromMs))
    this.#lastTurn = turn.then(
      () => {},
      () => {},
    )
    return turn
  }

  async #openCurrent(fromMs: typeof month): Promise<ArchiveReader> {
    const { archiveService, openCurrentArchive } = await import('../archive/archive-service.js')
    const { dataName, config } = this.around
    const { nowMs } = config.context
    const clocks = { localNowMs: nowMs, serviceNowMs: this.serviceNowMs }
    return openCurrentArchive({
      dataDir: config.dataDir,
      account: dataName,
      service: archiveService(this.client, clocks),
      nowMs,
      fromMs,
      onWarning: () => {},
      // The page says when the service is away.
      onStale: () => {},
    })
  }
}

/** The meaning of a delivery's status, with the commands that can be given for it. */
async function explained(delivery: Delivery, readOnly: boolean): ReturnType<Backend['explain']> {
  const { explainDelivery, usableCommands } = await import('../errors/next-command.js')
  return explainDelivery(delivery).map(({ code, meaning, retry, next }) => {
    const commands = usableCommands(next, readOnly)
    return { code, meaning, retry, next: commands.map((command) => command.replace(/^dlv /, '')) }
  })
}

/** The beginning of a command that works on the same account from another terminal. */
function commandOf({ profile, baseUrl, sources }: InspectorSurroundings['settings']): string {
  const address = sources.baseUrl === '--base-url' && baseUrl !== undefined ? ` --base-url ${shellWord(baseUrl)}` : ''
  return sources.profile === 'flag --profile' ? `dlv -P ${shellWord(profile)}${address}` : `dlv${address}`
}
