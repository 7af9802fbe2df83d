import { Flags } from '@oclif/core'
import { isLoopback } from '../../contract/index.js'
import { dataNameOf, type Settings } from '../../profiles/index.js'
import { dayMs } from '../../shared/durations.js'
import { shellWord } from '../../shared/shell-word.js'
import type { Backend, DeliveryList, Inspector } from '../../ui/index.js'
import { templateFor } from '../deliveries/template-order.js'
import { PromiseLedger } from '../promises/promise-ledger.js'

/** The parts of a page that depend on the command which shows it. */
export type InspectedParts = Pick<Backend, 'client'> &
  Partial<Pick<Backend, 'control' | 'journal' | 'listener' | 'command'>> & {
    /** The current secrets. */
    secrets?: () => Backend['secrets']
    /** The sandbox in this process, which serves proof images. */
    sandbox?: { fetch(request: Request): Promise<Response>; readonly isServed: boolean }
  }

/** The values that the page takes from the command. */
interface InspectorSurroundings {
  version: string
  settings: Pick<Settings, 'profile' | 'environment' | 'baseUrl' | 'apiKey' | 'sources'>
  nowMs(): number
  onError(error: unknown): void
  /** The directory of the archive and of the promised times. */
  dataDir: string
}

/** The flag of commands that can show the page beside what they do. */
export const uiFlag = {
  ui: Flags.boolean({ summary: 'Show it in the browser, as dlv ui does' }),
}

/** The user agent of the page's own reads, which its stream leaves out. */
const pageAgent = 'dlv-inspector'

/** The client of a page: somebody waits for each answer, and can try again. */
export async function pageClient() {
  const { createPacer } = await import('../../client/index.js')
  // A report reads many pages: with one pacer, nothing else on the page is refused meanwhile.
  return { userAgent: pageAgent, retries: { maxRetries: 2 }, maxWaitMs: 1_000, pacer: createPacer() }
}

const downloadLimitMs = 20_000

const month = (serviceMs: number) => serviceMs - 30 * dayMs

/** Serves the page. Its code is loaded only here. */
export async function openInspector(
  parts: InspectedParts,
  { version, settings, nowMs, onError, dataDir }: InspectorSurroundings,
  port: { port?: number; orFreePort?: boolean },
): Promise<Inspector> {
  const [{ startInspector }, { knownPlaces }, { downloadFromNetwork, downloadFromSandbox }] = await Promise.all([
    import('../../ui/index.js'),
    import('../../sandbox/internal.js'),
    import('../deliveries/download.js'),
  ])
  const { profile, environment, baseUrl } = settings
  const { client, control, journal, listener, secrets = () => [], sandbox } = parts
  const open = sandbox === undefined ? downloadFromNetwork : downloadFromSandbox(sandbox)
  const ledger = new PromiseLedger(dataDir, dataNameOf(settings), nowMs)
  const promises = () => ledger.read()
  const currentArchive = async (fromMs: (serviceMs: number) => number) => {
    const [{ archiveService, openCurrentArchive }, { serviceNowMs }] = await Promise.all([
      import('../archive/archive-service.js'),
      import('../command/service-time.js'),
    ])
    const isLocal = baseUrl === undefined || isLoopback(new URL(baseUrl).hostname)
    const clocks = { localNowMs: nowMs, serviceNowMs: () => serviceNowMs(client, nowMs, { isLocal }) }
    return openCurrentArchive({
      dataDir,
      account: dataNameOf(settings),
      service: archiveService(client, clocks),
      nowMs,
      fromMs,
      onWarning: () => {},
      // The page says when the service is away.
      onStale: () => {},
    })
  }
  let list: DeliveryList | undefined
  const openList = async (): Promise<DeliveryList> => {
    const [{ archivePaths }, { archivedList }] = await Promise.all([
      import('../../archive/index.js'),
      import('./archived-list.js'),
    ])
    return archivedList(archivePaths(dataDir, dataNameOf(settings)), () => currentArchive(month), onError)
  }
  return startInspector({
    ...port,
    onError,
    backend: {
      version,
      profile: settings.sources.profile === 'none' ? 'no profile' : profile,
      environment,
      service: baseUrl ?? 'embedded sandbox',
      command: parts.command ?? commandOf(settings),
      client,
      account: control === undefined ? undefined : await accountIdOf(settings.apiKey),
      control,
      journal,
      listener,
      get secrets() {
        return secrets()
      },
      readOnly: environment === 'production',
      download: (url) => open(url, AbortSignal.timeout(downloadLimitMs)),
      promises,
      sent: ({ clientOrderReference }) => ledger.factsOf(clientOrderReference) ?? null,
      keepOrdered(order) {
        ledger.sent(order)
        ledger.flush()
      },
      keepMoved(delivery, patch) {
        ledger.moved(delivery, patch)
        ledger.flush()
      },
      report: async (request) => {
        const { gatherReport, startOfBoth } = await import('../report/gather.js')
        const archive = await currentArchive((serviceMs) => startOfBoth(request, serviceMs))
        try {
          return await gatherReport({ kind: 'archive', archive }, { ...request, promises: promises() })
        } finally {
          archive.close()
        }
      },
      placesOf(delivery) {
        const { store, ...places } = knownPlaces(delivery)
        // A service of somebody else has other stores, which may have the same references.
        return control === undefined ? places : { store, ...places }
      },
      underWayTo: async (codes) => {
        const { ordersUnderWay } = await import('./orders-under-way.js')
        const archive = await currentArchive(month)
        try {
          const fromMs = month(nowMs() + archive.clockAheadMs)
          return ordersUnderWay(archive, { codes, fromMs, sent: ledger.read().installations })
        } finally {
          archive.close()
        }
      },
      explain: async (delivery) => {
        const { explainDelivery, usableCommands } = await import('../errors/explain-delivery.js')
        return explainDelivery(delivery).map(({ code, meaning, retry, next }) => {
          const commands = usableCommands(next, environment === 'production')
          return { code, meaning, retry, next: commands.map((command) => command.replace(/^dlv /, '')) }
        })
      },
      orderLike: async (delivery, sent) => {
        const { orderLike } = await import('../deliveries/creation/order-like.js')
        return orderLike(delivery, { reference: undefined, sent, nowMs: nowMs() }).order
      },
      list: async (query) => {
        list ??= await openList()
        return list(query)
      },
      hasTrackingPages: () => sandbox?.isServed ?? true,
      exampleOrder: templateFor({ isOwnSandbox: control !== undefined }),
      ownAgent: pageAgent,
      nowMs,
    },
  })
}

/** The id of a key's account in a sandbox: control requests hold no key. */
async function accountIdOf(apiKey: string | undefined): Promise<string | undefined> {
  if (apiKey === undefined) return undefined
  const { accountNamed } = await import('../../sandbox/internal.js')
  return accountNamed(apiKey)?.accountId
}

/** The beginning of a command that works on the same account from another terminal. */
function commandOf({ profile, baseUrl, sources }: InspectorSurroundings['settings']): string {
  const address = sources.baseUrl === '--base-url' && baseUrl !== undefined ? ` --base-url ${shellWord(baseUrl)}` : ''
  return sources.profile === 'flag --profile' ? `dlv -P ${shellWord(profile)}${address}` : `dlv${address}`
}
