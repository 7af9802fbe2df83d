import type { Client } from '../../client/index.js'
import { type Delivery, terminalStatuses } from '../../contract/index.js'
import type { BoardOrder } from '../../render/board-view.js'
import { deliveryView } from '../../render/delivery-view.js'
import { paint, type Style } from '../../render/style.js'
import { onAccount } from '../../shared/account-commands.js'
import { deliveryWord } from '../../shared/delivery-word.js'
import { shellWord } from '../../shared/shell-word.js'
import { possibleMoves } from '../deliveries/next-statuses.js'
import type { EventService } from '../events/event-service.js'
import { readStrokes } from '../input/keyboard.js'
import type { WaitingPlace } from '../output/waiting-line.js'
import type { ProcessContext } from '../process/context.js'
import { openUrl } from '../process/open-url.js'
import type { Judging } from '../report/judging.js'
import { BoardScreen } from './board-screen.js'
import { type FeedOptions, followOrders, loadActive, loadDetails } from './feed.js'
import { FullScreen } from './full-screen.js'
import { BoardOrders } from './orders.js'

/** Minimum interval between frames when events arrive. */
const frameMs = 100
/** Interval at which ages and the clock advance. */
const tickMs = 1_000
/** Interval at which active deliveries are listed again, to find changes without an event. */
const relistMs = 300_000

export interface LiveBoardOptions {
  context: ProcessContext
  client: Client
  service: EventService
  /** The account, such as `acme (production)`. */
  account: string
  isProduction: boolean
  /** Whether nothing serves the service's pages. */
  isUnserved: boolean
  fromMs: number
  judging: Judging
  intervalMs: number
  /** How far the service's clock is ahead, in milliseconds. */
  clockOffsetMs: number
  /** Makes the client show its waits in this place. */
  showWaits(place: WaitingPlace): void
  style: Style
  /** Aborted when the board ends, for any reason. */
  stop: AbortController
}

/** Shows the live board until `q` or the signal, then restores the terminal. */
export async function showLiveBoard(options: LiveBoardOptions): Promise<void> {
  const { context, client, style, stop } = options
  const { signal } = stop
  const nowMs = () => context.nowMs() + options.clockOffsetMs
  const orders = new BoardOrders(nowMs(), options.judging)
  let isRead = false
  let dueFrame: NodeJS.Timeout | undefined
  const screen = new FullScreen(context, () => board.draw())
  const board = new BoardScreen(screen, {
    account: options.account,
    startedMs: nowMs(),
    orders: () => orders.shown(nowMs()),
    delivered: () => orders.delivered,
    style: () => ({ ...style, nowMs: nowMs() }),
    card: async (deliveryId, cardStyle) => cardText(await client.getDelivery({ deliveryId }), options, cardStyle),
    open: (order) => openPage(order, options, (text) => board.say(text)),
    quit: () => stop.abort(),
  })
  const onChange = () => {
    dueFrame ??= setTimeout(() => {
      dueFrame = undefined
      board.draw()
    }, frameMs)
  }
  const onProblem = (error: unknown) => {
    if (signal.aborted) return
    // The next response clears it.
    board.wait(`${error instanceof Error ? error.message : String(error)} Trying again.`)
  }
  const feed: FeedOptions = { orders, fromMs: options.fromMs, nowMs, signal, onChange }
  const relist = async () => {
    const listedAtMs = nowMs()
    orders.keepOnly(await loadActive(client, feed), listedAtMs)
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
  const relisting = setInterval(() => void relist().catch(onProblem), relistMs)
  try {
    board.draw()
    const idle = () => board.wait(isRead ? '' : 'Reading what is under way…')
    idle()
    options.showWaits({ show: (text) => board.wait(text), clear: idle })
    // Events are followed from the start, so that none is missed while the lists are read.
    const followed = followOrders(options.service, feed, { intervalMs: options.intervalMs, onProblem })
    followed.catch(() => {}) // thrown below, once the lists are read
    await relist()
    isRead = true
    board.read()
    idle()
    loadDetails(client, feed).then(onChange, onProblem)
    onChange()
    await followed
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    stop.abort()
    clearInterval(tick)
    clearInterval(relisting)
    clearTimeout(dueFrame)
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

function openPage(
  { deliveryId, trackingUrl }: BoardOrder,
  { context, isUnserved }: LiveBoardOptions,
  say: (text: string) => void,
): string {
  if (isUnserved)
    return onAccount(
      `Nobody serves its page; run dlv deliveries open ${shellWord(deliveryWord(deliveryId))}.`,
      context.accountFlags ?? '',
    )
  const address = trackingUrl !== undefined && URL.canParse(trackingUrl) ? new URL(trackingUrl) : undefined
  if (address === undefined || !/^https?:$/.test(address.protocol)) return `${deliveryId} has no tracking page.`
  openUrl(context, address, (opener) => say(`${opener} not found. The page is ${address.href}`))
  return `Opened ${address.href}`
}
