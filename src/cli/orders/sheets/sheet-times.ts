import { UsageError } from '../../../contract/index.js'
import { valueAt } from '../../../render/view.js'
import type { WallTime } from '../../input/wall-time.js'
import { datedText, timeHint } from './loose-times.js'
import { SheetEvidence } from './sheet-evidence.js'
import type { StoreClocks } from './store-clocks.js'
import { type DayOrder, type WrittenTime, writtenTimeOf } from './written-time.js'

/** How the times of a sheet are read that name no zone: by whose clocks, and in which order their dates are. */
export class SheetTimes {
  readonly evidence: SheetEvidence

  /**
   * @param said what a person has said of dates: whether they begin with their day or month
   * @param nowMs the time, from which dates without a year are counted
   */
  constructor(
    private readonly clocks: StoreClocks,
    private readonly said: DayOrder | undefined,
    private readonly nowMs: () => number,
  ) {
    this.evidence = new SheetEvidence(said)
  }

  /** Begins a new reading of the rows. */
  begin(): void {
    this.clocks.begin()
    this.evidence.begin()
  }

  /** `18 times read in America/Chicago, 3 in America/New_York`; empty without times. */
  get text(): string {
    const { text } = this.clocks
    if (text === '') return ''
    const days = this.said === 'day' ? 'dates begin with their day' : ''
    return [text, days, this.evidence.lostZone].filter(Boolean).join(', ')
  }

  wallOf(text: string): WallTime | undefined {
    return this.#timeOf(text)?.wall
  }

  /** The time, whose date may lack its year if only one day can be meant. */
  #timeOf(text: string): WrittenTime | undefined {
    const time = writtenTimeOf(text, this.said)
    if (time !== undefined) return time
    const dated = datedText(text, this.nowMs(), this.said)
    return dated === undefined ? undefined : writtenTimeOf(dated, this.said)
  }

  /**
   * The moment of a time of an order; `undefined` for what is a moment as it is.
   *
   * @throws UsageError for what is no time, or can be read in two ways
   */
  momentOf(text: string, order: unknown, path: string): string | undefined {
    const time = this.#timeOf(text)
    this.evidence.see(text, time)
    if (time === undefined) {
      if (/^\d{4}-\d{2}-\d{2}T/.test(text)) return undefined
      throw new UsageError(`${path}: "${text.slice(0, 80)}" is not a time such as 11/25/2026 3:00 PM`, {
        hint: timeHint(text, this.said),
      })
    }
    const shown = `${path}: "${text.slice(0, 80)}"`
    const wall = this.#dated(time, shown)
    const { half } = this.evidence
    const isOpen = time.half === 'open' && !this.#has24Hours(order, path)
    if (isOpen && writtenTimeOf(text, this.said) === undefined)
      throw new UsageError(`${shown} lacks its year and AM or PM`, {
        hint: 'Write both, such as 11/30/2026 3:00 PM - 5:00 PM.',
      })
    // `5-7`, and `5:00` before any store opens, are rather of the afternoon.
    if (isOpen && (/[^\d:.h]\d{1,2}$/.test(text.trim()) || new Date(wall.wallMs).getUTCHours() < 6))
      throw new UsageError(`${shown} may be in the morning or in the afternoon`, {
        hint: 'Write 5-7 PM or 5:00 PM - 7:00 PM, or 17:00 - 19:00, and 05:00 for the morning.',
      })
    if (isOpen && half !== undefined)
      throw new UsageError(`${shown} lacks AM or PM, which other times of this file have, such as ${placed(half)}`, {
        hint: 'Write 9:00 AM or 9:00 PM, or 09:00 or 21:00.',
      })
    return this.clocks.momentOf(wall, order, path)
  }

  /** Whether the other end of a window is on a clock of 24 hours: `09:00` to `11:00`. */
  #has24Hours(order: unknown, path: string): boolean {
    const other = valueAt(
      order,
      path.endsWith('.start') ? path.replace(/start$/, 'end') : path.replace(/end$/, 'start'),
    )
    return typeof other === 'string' && this.#timeOf(other)?.half === 'none'
  }

  /** The time, if its date has one reading. */
  #dated({ wall, order, readings, otherWeekday }: WrittenTime, shown: string): WallTime {
    const { otherOrder, opposite } = this.evidence
    const both = Object.values(readings).join(' or ')
    const say = this.said === undefined ? '--day-first reads every date of the file so.' : undefined
    if (order === opposite && this.said !== undefined)
      throw new UsageError(`${shown} begins with its ${opposite}, and dates are read ${this.said} first`, {
        hint: `Write all of them ${this.said} first, or as ${both} 15:00.`,
      })
    if (wall === undefined && order === 'either')
      throw new UsageError(`${shown} may be ${both}`, {
        hint: `--day-first reads ${readings.day}, --no-day-first ${readings.month}.`,
      })
    if (wall === undefined)
      throw new UsageError(`${shown} begins with its ${order}, and times are read month first`, {
        hint: say ?? `Write it as ${both} 15:00.`,
      })
    if (order === 'either' && otherOrder !== undefined)
      throw new UsageError(`${shown} may be ${both}: ${placed(otherOrder)} of this file begins with its ${opposite}`, {
        hint:
          say === undefined
            ? `Write it as ${wallDay(wall)} 15:00.`
            : `${say} If the month comes first, --no-day-first.`,
      })
    if (otherWeekday !== undefined)
      throw new UsageError(`${shown} is not a ${otherWeekday}: it is read as ${wallDay(wall)}`, {
        hint: order === 'either' && say !== undefined ? say : 'Correct the day or the weekday.',
      })
    return wall
  }
}

function placed({ text, line }: { text: string; line: number | undefined }): string {
  return `"${text.slice(0, 80)}"${line === undefined ? '' : ` on line ${line}`}`
}

function wallDay({ wallMs }: WallTime): string {
  return new Date(wallMs).toISOString().slice(0, 10)
}
