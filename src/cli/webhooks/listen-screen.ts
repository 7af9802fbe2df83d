import { type EventReceivedRecord, type ListenerRecord, matchesType } from '../../listener/index.js'
import { type ForwardLine, isPlainForward, ListenerLines, targetText } from '../../render/listener-lines.js'
import { safeJson } from '../../render/plain-text.js'
import type { Style } from '../../render/style.js'
import { onAccount } from '../../shared/command-words.js'
import { spanText } from '../../shared/durations.js'
import { sleep } from '../../shared/sleep.js'
import { maskPersonalData } from '../../webhooks/index.js'
import type { Output } from '../output/output.js'

/** The number of characters that can wait for the reader; with more, senders get a 503. */
const waitingMax = 8_388_608
/** How long lines gather after one was printed: each small write to a pipe wakes its reader, and costs as much as a line. */
const gatheredMs = 20
/** How long the line of an event waits for the response of its forward target. */
const forwardWaitMs = 250
/** The number of lines that are kept while the screen is paused; later ones are counted. */
const heldLines = 1_000

/** The line of an event that waits for the result of its forward. */
interface ExpectedLine {
  record: EventReceivedRecord
  style: Style
  isDue: boolean
  timer: NodeJS.Timeout | undefined
  answer?: ForwardLine
}

interface ScreenOptions {
  /** Only these event types, which can end with a star; default: all. */
  types: readonly string[] | undefined
  /** Events are forwarded: their lines wait a moment to say with which result. */
  forwards: boolean
  /** Shows personal data unmasked. */
  unmask: boolean
  /** The accounts of which each line says its own; none if there is one. */
  profiles: readonly string[]
  /** Number of events that wait for each target. */
  backlog(): Promise<readonly { url: string; count: number }[]>
  /** Called once if nothing more can be printed, for example because `--jq` failed; `drained` throws the error. */
  onFailure(): void
}

/** Prints a listener's records, one after the other, however slowly they are read. */
export class ListenScreen {
  private waiting = 0
  private lines: string[] = []
  private printing: Promise<void> | undefined
  private readonly draining = new AbortController()
  private failure: unknown
  private held: string[] | undefined
  private leftOut = 0
  private readonly records: ListenerLines
  private readonly downTargets = new DownTargets()
  /** Lines of events that wait for their forwards, in order. */
  private readonly expected: ExpectedLine[] = []

  constructor(
    private readonly output: Output,
    private readonly options: ScreenOptions,
  ) {
    this.records = new ListenerLines(options.profiles)
  }

  see(record: ListenerRecord): void {
    const { types } = this.options
    const isHidden = types !== undefined && 'eventType' in record && !matchesType(types, record.eventType ?? undefined)
    if (isHidden) return
    if (this.output.isJson) this.write(safeJson(this.exported(record)))
    else if (record.type === 'event' && this.options.forwards && !record.duplicate) this.expect(record)
    else if (record.type !== 'forwarded' || !this.isAnswer(record)) {
      // What came before is printed before.
      if (record.type !== 'forwarded') for (const line of this.expected) line.isDue = true
      this.flush()
      if (record.type === 'forwarded') this.forwarded(record)
      else this.line(this.records.line(this.exported(record), this.output.styleNow()))
    }
  }

  /** Prints an attempt to forward; for a target that is down one line, not one for each delivery. */
  private forwarded(record: ForwardLine): void {
    const style = this.output.styleNow()
    const seen = this.downTargets.see(record, style.nowMs)
    if (seen === 'nothing') return
    if (seen !== 'line' && !('back' in seen)) return void this.sayDown(seen)
    if (seen !== 'line') this.line(targetText(seen.back, [`answers again after ${spanText(seen.downMs)}`], style))
    this.line(this.records.line(record, style))
  }

  private async sayDown({ url, reason, downMs, retryInMs }: DownTarget): Promise<void> {
    const backlog = await this.options.backlog().catch(() => [])
    const count = backlog.find((one) => one.url === url)?.count
    const waiting =
      count === undefined ? [] : [count === 1 ? '1 event waits' : `${count.toLocaleString('en-US')} events wait`]
    const parts = [`down for ${spanText(downMs)}`, ...waiting, `retry in ${spanText(retryInMs)}`, reason]
    this.line(targetText(url, parts, this.output.styleNow()))
  }

  /** Holds the line of an event back until its forward has a result, but only for a moment. */
  private expect(record: EventReceivedRecord): void {
    const style = this.output.styleNow()
    const expected: ExpectedLine = { record, style, isDue: false, timer: undefined }
    expected.timer = setTimeout(() => {
      expected.isDue = true
      this.flush()
    }, forwardWaitMs)
    this.expected.push(expected)
  }

  /** Whether the record is said in the line of its event, which is printed then. */
  private isAnswer(record: ForwardLine): boolean {
    const expected = this.expected.find(
      (line) => line.record.eventId === record.eventId && profileOf(line.record) === profileOf(record),
    )
    if (expected === undefined) return false
    expected.isDue = true
    if (isPlainForward(record)) expected.answer = record
    this.flush()
    return expected.answer !== undefined
  }

  /** Prints the lines that have all they wait for, in the order of the events. */
  private flush(isOver = false): void {
    for (let first = this.expected[0]; first !== undefined && (first.isDue || isOver); first = this.expected[0]) {
      this.expected.shift()
      clearTimeout(first.timer)
      const answers = first.answer === undefined ? [] : [first.answer]
      this.line(this.records.line(this.exported(first.record), first.style, answers))
    }
  }

  /** Whether the reader is far behind. */
  isBehind(): boolean {
    return this.waiting >= waitingMax
  }

  get isPaused(): boolean {
    return this.held !== undefined
  }

  /** Holds lines back. */
  pause(): void {
    this.held ??= []
  }

  /** Prints the delayed lines. */
  resume(): void {
    const lines = this.held ?? []
    this.held = undefined
    for (const line of lines) this.line(line)
    if (this.leftOut > 0)
      this.line(
        onAccount(`… ${this.leftOut} more lines; dlv webhooks log has them all.`, this.output.style.accountFlags ?? ''),
      )
    this.leftOut = 0
  }

  /** Resolves once everything has been printed; for the end. */
  async drained(): Promise<void> {
    this.flush(true)
    if (this.isPaused) this.resume()
    this.draining.abort()
    await this.printing
    if (this.failure !== undefined) throw this.failure
  }

  private exported<Shown extends ListenerRecord>(record: Shown): Shown {
    if (this.options.unmask || record.type !== 'event') return record
    return { ...record, event: maskPersonalData(record.event) }
  }

  private line(text: string): void {
    if (this.held === undefined) this.write(text)
    else if (this.held.length < heldLines) this.held.push(text)
    else this.leftOut++
  }

  private write(line: string): void {
    if (this.failure !== undefined) return
    this.waiting += line.length + 1
    this.lines.push(line)
    this.printing ??= this.print().catch((error: unknown) => {
      this.failure = error
      this.options.onFailure()
    })
  }

  /** Writes a line at once, and later together those that follow it closely, so that a flood costs few writes. */
  private async print(): Promise<void> {
    do {
      const text = this.lines.join('\n')
      this.lines = []
      await (this.output.isJson ? this.output.json(text) : this.output.text(text))
      this.waiting -= text.length + 1
      await sleep(gatheredMs, this.draining.signal)
    } while (this.lines.length > 0)
    this.printing = undefined
  }
}

const profileOf = (record: object) => (record as { profile?: string }).profile

/** A target that is down, at one moment. */
interface DownTarget {
  url: string
  /** Why the last attempt failed. */
  reason: string
  downMs: number
  /** Until the next attempt. */
  retryInMs: number
}

/** The delay before a target that is down is first summarized, and the interval of further summaries. */
const firstAfterMs = 2_000
const everyMs = 60_000

interface Outage {
  sinceMs: number
  nextMs: number
  isSaid: boolean
}

/**
 * Which forwards of a target that is down are worth a line: the first failure, and from then on one line for the target
 * a minute, however many deliveries wait for it.
 */
class DownTargets {
  readonly #outages = new Map<string, Outage>()

  /**
   * `line`: the attempt has its own line; `nothing`: it is one more failure of a target that is known to be down;
   * `DownTarget`: a line for the target is due; `back`: it answers again, after `downMs`.
   */
  see(record: ForwardLine, nowMs: number): 'line' | 'nothing' | DownTarget | { back: string; downMs: number } {
    const { url, status, error, retryInMs } = record
    const outage = this.#outages.get(url)
    if (retryInMs === undefined || !isOutage(status)) {
      this.#outages.delete(url)
      return outage?.isSaid === true && status !== null ? { back: url, downMs: nowMs - outage.sinceMs } : 'line'
    }
    if (outage === undefined) {
      this.#outages.set(url, { sinceMs: nowMs, nextMs: nowMs + firstAfterMs, isSaid: false })
      return 'line'
    }
    if (nowMs < outage.nextMs) return 'nothing'
    outage.nextMs = nowMs + everyMs
    outage.isSaid = true
    return { url, reason: error ?? `it answers ${status}`, downMs: nowMs - outage.sinceMs, retryInMs }
  }
}

/** No response, or a gateway's word that nothing is behind it. An app's own 500 tells of one event. */
function isOutage(status: number | null): boolean {
  return status === null || status === 502 || status === 503 || status === 504
}
