import type { ArchiveReader } from '../../../archive/index.js'
import type { Client } from '../../../client/index.js'
import { type Delivery, terminalStatuses } from '../../../contract/index.js'
import type { BoardOrder } from '../../../render/board-view.js'
import { deliveryView } from '../../../render/delivery-view.js'
import { paint, type Style } from '../../../render/style.js'
import { deliveryWord, onAccount, shellWord } from '../../../shared/command-words.js'
import { sleep } from '../../../shared/sleep.js'
import { sentence } from '../../../shared/texts.js'
import { possibleMoves } from '../../../trade/statuses.js'
import { readStrokes } from '../../input/keyboard.js'
import type { WaitingPlace } from '../../output/waiting-line.js'
import type { ProcessContext } from '../../process/context.js'
import { openUrl } from '../../process/open-url.js'
import { type ArchivedOrder, deliveredCount, judgedOrders, readOrders } from '../judged-orders.js'
import type { Judging } from '../problem-rules.js'
import { BoardScreen } from './board-screen.js'
import { FullScreen } from './full-screen.js'

/** Interval at which ages and the clock advance. */
const tickMs = 1_000
/** An account on the board. */
export interface BoardAccount {
  /** Absent if the board has only one account. */
  profile: string | undefined
  client: Client
  /** The archive with what is new; failures of the service are told and outlasted. */
  open(on?: { progress(text: string): void; stale(error: unknown): void }): Promise<ArchiveReader>
  isProduction: boolean
  /** Whether nothing serves the service's pages. */
  isUnserved: boolean
  judging: Judging
  /** The flags that choose it, for commands to copy. */
  accountFlags: string
}

interface LiveBoardOptions {
  context: ProcessContext
  accounts: readonly BoardAccount[]
  /** The account, such as `acme (production)`. */
  title: string
  /** The oldest creation that is shown, by the service's clock. */
  fromMs(nowMs: number): number
  intervalMs: number
  /** Makes the clients show their waits in this place. */
  showWaits(place: WaitingPlace): void
  style: Style
  /** Aborted when the board ends, for any reason. */
  stop: AbortController
}

/** What the board has read of an account. */
interface AccountState {
  account: BoardAccount
  orders: ArchivedOrder[]
  clockAheadMs: number
  /** When it was first read, by its service's clock. */
  startedMs: number | undefined
  delivered: number
  problem: string
}

/** Shows the live board until `q` or the signal, then restores the terminal. */
export async function showLiveBoard(options: LiveBoardOptions): Promise<void> {
  const { context, style, stop, accounts, title } = options
  const { signal } = stop
  const states: AccountState[] = accounts.map((account) => {
    return { account, orders: [], clockAheadMs: 0, startedMs: undefined, delivered: 0, problem: '' }
  })
  const ownNowMs = ({ clockAheadMs }: AccountState) => context.nowMs() + clockAheadMs
  const nowMs = () => context.nowMs() + (states[0]?.clockAheadMs ?? 0)
  const accountOf = ({ profile }: BoardOrder) => accounts.find((one) => one.profile === profile) ?? accounts[0]
  const screen = new FullScreen(context, () => board.draw())
  const board = new BoardScreen(screen, {
    account: title,
    profiles: accounts.flatMap(({ profile }) => profile ?? []),
    startedMs: () => states[0]?.startedMs ?? nowMs(),
    orders: () => states.flatMap((state) => shownOf(state, ownNowMs(state), nowMs())),
    delivered: () => states.reduce((sum, { delivered }) => sum + delivered, 0),
    style: () => ({ ...style, nowMs: nowMs() }),
    card: async (order, cardStyle) => {
      const account = accountOf(order)
      if (account === undefined) return ''
      return cardText(await account.client.getDelivery({ deliveryId: order.deliveryId }), account, cardStyle)
    },
    open: (order) => openPage(order, accountOf(order), context, (text) => board.say(text)),
    quit: () => stop.abort(),
  })
  const refresh = async (state: AccountState) => {
    const archive = await state.account.open({
      progress: (text) => board.wait(text),
      stale: (error) => {
        state.problem = error instanceof Error ? `${sentence(error.message)} Trying again.` : ''
      },
    })
    state.clockAheadMs = archive.clockAheadMs
    const atMs = ownNowMs(state)
    state.startedMs ??= atMs
    state.orders = readOrders(archive, options.fromMs(atMs))
    state.delivered = deliveredCount(archive, state.startedMs)
    archive.close()
    board.read()
  }
  const follow = async (state: AccountState) => {
    while (!signal.aborted) {
      state.problem = ''
      try {
        await refresh(state)
      } catch (error) {
        // The only account ends the board; of several, the others continue.
        if (state.account.profile === undefined || signal.aborted) throw error
        state.problem = sentence(error instanceof Error ? error.message : String(error))
      }
      // The next response clears it.
      board.wait(problemsOf(states))
      board.draw()
      await sleep(options.intervalMs, signal)
    }
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
      clear: () => board.wait(states[0]?.startedMs === undefined ? reading : ''),
    })
    await Promise.all(states.map(follow))
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    stop.abort()
    clearInterval(tick)
    release()
    screen.leave()
  }
}

/** The orders of an account; their times are moved to the clock that the board shows. */
function shownOf({ account: { profile, judging }, orders }: AccountState, ownNowMs: number, nowMs: number) {
  const shown = judgedOrders(orders, judging, ownNowMs)
  if (profile === undefined) return shown
  const behindMs = nowMs - ownNowMs
  return shown.map((order) => ({ ...order, profile, sinceMs: order.sinceMs + behindMs }))
}

/** What keeps accounts from being read, each by its name. */
function problemsOf(states: readonly AccountState[]): string {
  return states
    .filter(({ problem }) => problem !== '')
    .map(({ account: { profile }, problem }) => (profile === undefined ? problem : `${profile}: ${problem}`))
    .join(' · ')
}

/** A delivery's card and the commands that are possible next, to be copied. */
function cardText(delivery: Delivery, { isProduction, isUnserved, accountFlags }: BoardAccount, style: Style): string {
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
  const lines = commands.map((command) => `  ${onAccount(command, accountFlags)}`)
  return [deliveryView.card?.(delivery, shown) ?? id, '', paint(style, 'bold', 'Commands'), ...lines].join('\n')
}

/** Opens the tracking page; returns what to say until it is known. */
function openPage(
  { deliveryId }: BoardOrder,
  account: BoardAccount | undefined,
  context: ProcessContext,
  say: (text: string) => void,
): string {
  if (account === undefined) return ''
  const { client, isUnserved, accountFlags } = account
  if (isUnserved)
    return onAccount(
      `Nobody serves its page; run dlv deliveries open ${shellWord(deliveryWord(deliveryId))}.`,
      accountFlags,
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
