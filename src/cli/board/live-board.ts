import type { ArchiveReader } from '../../archive/index.js'
import type { Client } from '../../client/index.js'
import { type Delivery, terminalStatuses } from '../../contract/index.js'
import type { BoardOrder } from '../../render/board-view.js'
import { deliveryView } from '../../render/delivery-view.js'
import { paint, type Style } from '../../render/style.js'
import { deliveryWord, onAccount, shellWord } from '../../shared/command-words.js'
import { sleep } from '../../shared/sleep.js'
import { sentence } from '../../shared/texts.js'
import { possibleMoves } from '../../trade/moves.js'
import { readStrokes } from '../input/keyboard.js'
import type { WaitingPlace } from '../output/waiting-line.js'
import type { ProcessContext } from '../process/context.js'
import { openUrl } from '../process/open-url.js'
import type { Judging } from '../report/judging.js'
import { BoardScreen } from './board-screen.js'
import { FullScreen } from './full-screen.js'
import { type ArchivedOrder, deliveredCount, judgedOrders, readOrders } from './orders.js'

/** Interval at which ages and the clock advance. */
const tickMs = 1_000
interface LiveBoardOptions {
  context: ProcessContext
  client: Client
  /** The archive with what is new; failures of the service are told and outlasted. */
  open(on: { progress(text: string): void; stale(error: unknown): void }): Promise<ArchiveReader>
  /** The account, such as `acme (production)`. */
  account: string
  isProduction: boolean
  /** Whether nothing serves the service's pages. */
  isUnserved: boolean
  /** The oldest creation that is shown, by the service's clock. */
  fromMs(nowMs: number): number
  judging: Judging
  intervalMs: number
  /** Makes the client show its waits in this place. */
  showWaits(place: WaitingPlace): void
  style: Style
  /** Aborted when the board ends, for any reason. */
  stop: AbortController
}

/** Shows the live board until `q` or the signal, then restores the terminal. */
export async function showLiveBoard(options: LiveBoardOptions): Promise<void> {
  const { context, client, style, stop, judging } = options
  const { signal } = stop
  let clockAheadMs = 0
  const nowMs = () => context.nowMs() + clockAheadMs
  let orders: ArchivedOrder[] = []
  let startedMs: number | undefined
  let delivered = 0
  const screen = new FullScreen(context, () => board.draw())
  const board = new BoardScreen(screen, {
    account: options.account,
    startedMs: () => startedMs ?? nowMs(),
    orders: () => judgedOrders(orders, judging, nowMs()),
    delivered: () => delivered,
    style: () => ({ ...style, nowMs: nowMs() }),
    card: async (deliveryId, cardStyle) => cardText(await client.getDelivery({ deliveryId }), options, cardStyle),
    open: (order) => openPage(order, options, (text) => board.say(text)),
    quit: () => stop.abort(),
  })
  const refresh = async () => {
    let problem: unknown
    const archive = await options.open({
      progress: (text) => board.wait(text),
      stale: (error) => {
        problem = error
      },
    })
    clockAheadMs = archive.clockAheadMs
    startedMs ??= nowMs()
    orders = readOrders(archive, options.fromMs(nowMs()))
    delivered = deliveredCount(archive, startedMs)
    archive.close()
    board.read()
    // The next response clears it.
    board.wait(problem instanceof Error ? `${sentence(problem.message)} Trying again.` : '')
    board.draw()
  }
  screen.enter()
  const release = readStrokes(context, (stroke) => board.press(stroke), {
    leave: () => screen.leave(),
    comeBack() {
      screen.enter()
      board.draw()
    },
  })
  const tick = setInterval(() => board.draw(), tickMs)
  try {
    const reading = 'Reading what is under way…'
    board.wait(reading)
    options.showWaits({
      show: (text) => board.wait(text),
      clear: () => board.wait(startedMs === undefined ? reading : ''),
    })
    while (!signal.aborted) {
      await refresh()
      await sleep(options.intervalMs, signal)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    stop.abort()
    clearInterval(tick)
    release()
    screen.leave()
  }
}

/** A delivery's card and the commands that are possible next, to be copied. */
function cardText(delivery: Delivery, { isProduction, isUnserved }: LiveBoardOptions, style: Style): string {
  const shown = { ...style, unservedPages: isUnserved }
  const id = shellWord(deliveryWord(delivery.deliveryId))
  const isOver = terminalStatuses.has(delivery.status)
  const commands = [
    ...(isOver ? [] : [`dlv deliveries update ${id} --set dropoff.instructions="Ring twice"`]),
    ...(isOver ? [] : [`dlv deliveries cancel ${id}`]),
    ...(isProduction ? [] : possibleMoves(delivery).slice(0, 3)).map(
      ({ status }) => `dlv simulate ${id} --to ${shellWord(status)}`,
    ),
    `dlv deliveries watch ${id}`,
  ]
  const lines = commands.map((command) => `  ${onAccount(command, style.accountFlags ?? '')}`)
  return [deliveryView.card?.(delivery, shown) ?? id, '', paint(style, 'bold', 'Commands'), ...lines].join('\n')
}

/** Opens the tracking page; returns what to say until it is known. */
function openPage(
  { deliveryId }: BoardOrder,
  { client, context, isUnserved }: LiveBoardOptions,
  say: (text: string) => void,
): string {
  if (isUnserved)
    return onAccount(
      `Nobody serves its page; run dlv deliveries open ${shellWord(deliveryWord(deliveryId))}.`,
      context.accountFlags ?? '',
    )
  const open = ({ trackingUrl }: Delivery) => {
    const address = URL.canParse(trackingUrl ?? '') ? new URL(trackingUrl ?? '') : undefined
    if (address === undefined || !/^https?:$/.test(address.protocol)) return say(`${deliveryId} has no tracking page.`)
    openUrl(context, address, (opener) => say(`${opener} not found. The page is ${address.href}`))
    say(`Opened ${address.href}`)
  }
  client.getDelivery({ deliveryId }).then(open, (error: unknown) => say(String(error)))
  return 'Opening its tracking page…'
}
