import { type BoardFrame, boardKeys, boardLines, columnsOnScreen, visibleRows } from '../../../render/board-frame.js'
import { type BoardOrder, orderKey } from '../../../render/board-view.js'
import { wrap } from '../../../render/plain-text.js'
import type { Style } from '../../../render/style.js'
import type { BoardColumn } from '../../../trade/problems.js'
import { lateMeans } from '../../../trade/promise.js'
import type { FullScreen } from './full-screen.js'

/** The callbacks of the live board's command. */
interface BoardControls {
  account: string
  /** The accounts, if there are several. */
  profiles: readonly string[]
  startedMs(): number
  orders(): readonly BoardOrder[]
  delivered(): number
  /** The style with the service's current time. */
  style(): Style
  /** The card of an order, with the commands that are possible next. */
  card(order: BoardOrder, style: Style): Promise<string>
  /** Opens the tracking page; returns what to say. */
  open(order: BoardOrder): string
  quit(): void
}

const helpLines = [
  'dlv deliveries board',
  '',
  '  ←↑↓→ or h j k l   move between orders',
  '  PgUp PgDn Home End',
  '  Enter             show the delivery and the commands for it',
  '  o                 open its tracking page',
  '  /                 filter by reference, status, driver, store, name or address',
  '  L                 only problems: late, stuck, failed, returning',
  '  a                 of several accounts (-P a,b) only the next one',
  '  Esc               show all again',
  '  q, Ctrl-C         quit',
  '',
  lateMeans,
  'Late orders come first, then those that have been longest in their status.',
  'Failed and expired deliveries stay among the problems for a day.',
  '',
  'Press any key to return.',
]

/** The keys and the frames of the live board. */
export class BoardScreen {
  #filter = ''
  #isTyping = false
  #onlyTroubled = false
  /** Until a key moves it, the selection stays on the most urgent order. */
  #hasMoved = false
  #selectedKey: string | undefined
  /** The one account of several that is shown. */
  #profile: string | undefined
  #stage: BoardColumn = 'problems'
  #row = 0
  #scroll: Partial<Record<BoardColumn, number>> = {}
  #message = ''
  #waiting = ''
  #isRead = false
  /** Text in place of the board: help or a card. */
  #page: { lines: (columns: number) => string[]; from: number } | undefined

  constructor(
    private readonly screen: FullScreen,
    private readonly controls: BoardControls,
  ) {}

  /** Shows what is waited for where no message is; empty if nothing is. */
  wait(text: string): void {
    if (this.#waiting === text) return
    this.#waiting = text
    this.draw()
  }

  /** Everything under way has been read once. */
  read(): void {
    this.#isRead = true
  }

  /** Shows a message until the next key. */
  say(message: string): void {
    this.#message = message
    this.draw()
  }

  draw(): void {
    const { size } = this.screen
    if (this.#page !== undefined) {
      const lines = this.#page.lines(size.columns)
      this.#page.from = Math.max(0, Math.min(this.#page.from, lines.length - size.rows))
      this.screen.draw(lines.slice(this.#page.from))
      return
    }
    const { controls } = this
    const style = { ...controls.style(), columns: size.columns }
    const orders = this.#orders()
    this.#settle()
    const frame: BoardFrame = {
      account: controls.account,
      orders,
      delivered: controls.delivered(),
      startedMs: controls.startedMs(),
      filter: this.#filter,
      isTyping: this.#isTyping,
      onlyTroubled: this.#onlyTroubled,
      selected: this.#selectedKey,
      profile: this.#profile,
      scroll: this.#scroll,
      message: this.#message === '' ? this.#waiting : this.#message,
      isRead: this.#isRead,
    }
    this.screen.draw(boardLines(frame, style, size))
  }

  press(stroke: string): void {
    this.#message = ''
    if (this.#page !== undefined) this.#pressOnPage(stroke)
    else if (this.#isTyping) this.#type(stroke)
    else this.#command(stroke)
    this.draw()
  }

  /** Keeps the selection on its order wherever that has moved, else on its row; and in view. */
  #settle(): void {
    const height = visibleRows(this.screen.size)
    const columns = this.#columnsNow()
    if (!this.#hasMoved) {
      this.#selectedKey = undefined
      this.#stage = 'problems'
      this.#row = 0
    }
    for (const { name, orders } of columns) {
      const row = orders.findIndex((order) => orderKey(order) === this.#selectedKey)
      if (row < 0) continue
      this.#stage = name
      this.#row = row
    }
    if (this.#ordersOf(columns).length === 0)
      this.#stage = columns.find(({ orders }) => orders.length > 0)?.name ?? this.#stage
    const column = this.#ordersOf(columns)
    this.#row = Math.max(0, Math.min(this.#row, column.length - 1))
    this.#selectedKey = keyAt(column, this.#row)
    for (const { name, orders } of columns) {
      const last = Math.max(0, orders.length - height)
      this.#scroll[name] = Math.min(this.#scroll[name] ?? 0, last)
    }
    const first = this.#scroll[this.#stage] ?? 0
    // The last line of a column that does not fit says how many more there are.
    const shown = column.length - first > height ? height - 1 : height
    if (this.#row < first) this.#scroll[this.#stage] = this.#row
    else if (this.#row >= first + shown)
      this.#scroll[this.#stage] = Math.min(this.#row - height + 2, column.length - height)
  }

  #command(stroke: string): void {
    const page = visibleRows(this.screen.size) - 1
    const actions: Readonly<Record<string, () => void>> = {
      up: () => this.#move(-1),
      k: () => this.#move(-1),
      down: () => this.#move(1),
      j: () => this.#move(1),
      pageup: () => this.#move(-page),
      pagedown: () => this.#move(page),
      home: () => this.#move(Number.NEGATIVE_INFINITY),
      end: () => this.#move(Number.POSITIVE_INFINITY),
      left: () => this.#turn(-1),
      h: () => this.#turn(-1),
      right: () => this.#turn(1),
      l: () => this.#turn(1),
      enter: () => this.#showCard(),
      o: () => this.#open(),
      '/': () => {
        this.#isTyping = true
      },
      L: () => {
        this.#onlyTroubled = !this.#onlyTroubled
      },
      a: () => this.#nextAccount(),
      escape: () => this.#showAll(),
      '?': () =>
        this.#show((columns) => helpLines.flatMap((line) => (line.startsWith(' ') ? line : wrap(line, columns)))),
      q: () => this.controls.quit(),
    }
    if (Object.hasOwn(actions, stroke)) actions[stroke]?.()
    else this.#message = boardKeys
  }

  #type(stroke: string): void {
    if (stroke === 'enter') this.#isTyping = false
    else if (stroke === 'escape') this.#showAll()
    else if (stroke === 'backspace') this.#filter = [...this.#filter].slice(0, -1).join('')
    else if (!/^[a-z]{2,}$|\p{C}/u.test(stroke) && this.#filter.length < 60) this.#filter += stroke
    this.#forgetSelection()
  }

  #pressOnPage(stroke: string): void {
    if (this.#page === undefined) return
    const rows = this.screen.size.rows
    const by: Readonly<Record<string, number>> = { up: -1, k: -1, down: 1, j: 1, pageup: -rows, pagedown: rows }
    const step = Object.hasOwn(by, stroke) ? by[stroke] : undefined
    if (step === undefined) this.#page = undefined
    else this.#page.from += step
  }

  #showAll(): void {
    this.#filter = ''
    this.#isTyping = false
    this.#onlyTroubled = false
    this.#profile = undefined
  }

  /** All accounts, then one after the other. */
  #nextAccount(): void {
    const { profiles } = this.controls
    this.#profile = profiles[profiles.indexOf(this.#profile ?? '') + 1]
    this.#forgetSelection()
  }

  #orders(): readonly BoardOrder[] {
    const orders = this.controls.orders()
    return this.#profile === undefined ? orders : orders.filter(({ profile }) => profile === this.#profile)
  }

  #forgetSelection(): void {
    this.#hasMoved = false
  }

  #selected(): BoardOrder | undefined {
    return this.#orders().find((order) => orderKey(order) === this.#selectedKey)
  }

  #columnsNow() {
    const shown = { orders: this.#orders(), filter: this.#filter, onlyTroubled: this.#onlyTroubled }
    return columnsOnScreen(shown, this.screen.size)
  }

  /** The orders of the column that the selection is in. */
  #ordersOf(columns: ReturnType<typeof columnsOnScreen>): readonly BoardOrder[] {
    return columns.find(({ name }) => name === this.#stage)?.orders ?? []
  }

  #move(by: number): void {
    this.#hasMoved = true
    const column = this.#ordersOf(this.#columnsNow())
    this.#row = Math.max(0, Math.min(this.#row + by, column.length - 1))
    this.#selectedKey = keyAt(column, this.#row)
  }

  /** To the next column that has orders. */
  #turn(by: 1 | -1): void {
    this.#hasMoved = true
    const columns = this.#columnsNow()
    const at = columns.findIndex(({ name }) => name === this.#stage)
    for (let next = columns[at + by], step = at + by; next !== undefined; step += by, next = columns[step]) {
      const { name, orders } = next
      if (orders.length === 0) continue
      const first = this.#scroll[this.#stage] ?? 0
      this.#row = Math.min(this.#row - first + (this.#scroll[name] ?? 0), orders.length - 1)
      this.#stage = name
      this.#selectedKey = keyAt(orders, this.#row)
      return
    }
  }

  #show(lines: (columns: number) => string[]): void {
    this.#page = { lines, from: 0 }
  }

  #showCard(): void {
    const order = this.#selected()
    if (order === undefined) return
    const name = order.clientOrderReference ?? order.deliveryId
    this.#message = `Reading ${name}…`
    this.controls.card(order, { ...this.controls.style(), columns: this.screen.size.columns }).then(
      (text) => {
        this.#message = ''
        this.#show(() => [...text.split('\n'), '', 'Press any key to return.'])
        this.draw()
      },
      (error: unknown) => {
        this.#message = error instanceof Error ? error.message : String(error)
        this.draw()
      },
    )
  }

  #open(): void {
    const order = this.#selected()
    if (order !== undefined) this.#message = this.controls.open(order)
  }
}

function keyAt(orders: readonly BoardOrder[], row: number): string | undefined {
  const order = orders[row]
  return order === undefined ? undefined : orderKey(order)
}
