import type { Listener, ListenerRecord } from '../../listener/index.js'
import { secretCountLine } from '../../render/listener-lines.js'
import type { Inspector } from '../../ui/index.js'
import { canReadKeys } from '../input/keyboard.js'
import type { Session } from '../session/session.js'
import { attachKeys, listenKeys } from './hotkeys.js'
import type { ListenFlags } from './listen-flags.js'
import { expectationOf, heldRecords, typesOf } from './listen-run.js'
import { ListenScreen } from './listen-screen.js'
import type { ListenedAccounts } from './listened-accounts.js'

/**
 * Who is told of a listener's records: the screen, what `--expect` waits for, the keys, and a page. They are held until
 * `release`, so that the ready line, which names the page, is the first that is shown.
 */
export class ListenAudience {
  readonly screen: ListenScreen
  readonly expected: ReturnType<typeof expectationOf>
  readonly #keys = listenKeys()
  readonly #held = heldRecords<ListenerRecord>()
  readonly #watchers: { see(record: ListenerRecord): void }[]
  #listener: Listener | undefined

  constructor(
    private readonly session: Session,
    private readonly served: ListenedAccounts,
    private readonly flags: ListenFlags,
    /** Whether events are forwarded, and what ends the listener. */
    private readonly of: { forwards: boolean; stop(): void },
  ) {
    const { notices, output } = session
    this.screen = new ListenScreen(output, {
      types: typesOf(flags.events, notices),
      forwards: of.forwards,
      unmask: flags.unmask,
      profiles: served.areSeveral ? served.accounts.map(({ name }) => name) : [],
      backlog: async () => this.#listener?.backlog() ?? [],
      onFailure: of.stop,
    })
    this.expected = expectationOf(flags, notices)
    this.#watchers = [{ see: (record) => this.screen.see(served.shown(record)) }, this.expected]
    if (canReadKeys(session.context, session.flags['no-input'])) this.#watchers.push(this.#keys)
    session.onClose(() => this.screen.drained())
  }

  see(record: ListenerRecord): void {
    this.#held.see(record)
  }

  /** Shows the records so far, and each from now on, also on the page. */
  release(page: Inspector | undefined): void {
    if (page !== undefined) this.#watchers.push({ see: (record) => page.see(this.served.shown(record)) })
    this.session.notices.stay()
    this.#held.release((record) => {
      const shown = record.type === 'ready' && page !== undefined ? { ...record, uiUrl: page.url } : record
      for (const watcher of this.#watchers) watcher.see(shown)
    })
  }

  /** Lets the keys of a terminal steer the listener. */
  takeKeys(listener: Listener): void {
    this.#listener = listener
    const { context, flags, notices, output } = this.session
    const hands = {
      listener,
      screen: this.screen,
      style: () => output.styleNow(),
      unmask: this.flags.unmask,
      say: (text: string) => notices.print(text),
      onError: (error: unknown) => notices.warnOf(error),
      counts: () => secretCountLine(this.served.named(listener.countBySecret())),
      quit: this.of.stop,
    }
    this.session.onClose(attachKeys(context, this.#keys, hands, flags['no-input']))
  }
}
