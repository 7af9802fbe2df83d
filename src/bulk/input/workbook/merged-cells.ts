import type { SheetFault } from '../../../shared/sheet-faults.js'
import type { SheetRecord } from './sheet.js'

/** Cells that are shown as one, by their rows from 1 and their columns from 0. */
export interface MergedRange {
  top: number
  bottom: number
  left: number
  right: number
}

interface OpenRange extends MergedRange {
  text: string
  fault: SheetFault | undefined
  hiddenTime: string | undefined
}

/**
 * Gives each row of a merged range the value that the sheet shows beside it: a gate code or a day that stands once for
 * five orders is that of all five. What else is stored in such cells is shown nowhere, and is not read.
 */
export class MergedCells {
  #ranges: MergedRange[] = []
  #next = 0
  #open: OpenRange[] = []

  /** Takes a range; those of a sheet come in any order before its rows, or as its rows do. */
  add(range: MergedRange): void {
    this.#ranges.push(range)
  }

  /** Brings ranges that were taken in any order into that of the rows. */
  sort(): this {
    this.#ranges.sort((one, other) => one.top - other.top || one.left - other.left)
    return this
  }

  /** The rows as the sheet shows them; those without a value of their own are left out. */
  shown(records: SheetRecord[]): SheetRecord[] {
    return this.#ranges.length === 0 ? records : records.filter((record) => this.#show(record))
  }

  #show(record: SheetRecord): boolean {
    this.#open = this.#open.filter(({ bottom }) => bottom >= record.line)
    const filled = new Set<number>()
    for (const range of this.#open) {
      for (let at = range.left; at <= range.right; at++) clear(record, at)
      if (range.text === '' && range.fault === undefined) continue
      fill(record, range)
      filled.add(range.left)
    }
    for (let range = this.#ranges[this.#next]; range !== undefined && range.top <= record.line; ) {
      if (range.top === record.line) {
        const { top, left, right, bottom } = range
        if (bottom > top) this.#open.push({ ...range, ...cellOf(record, left) })
        for (let at = left + 1; at <= right; at++) clear(record, at)
      }
      range = this.#ranges[++this.#next]
    }
    if (filled.size === 0) return record.cells.some((cell) => cell !== '') || record.faults !== undefined
    record.filled = filled
    return record.cells.some((cell, at) => cell !== '' && !filled.has(at))
  }
}

function cellOf({ cells, faults, hiddenTimes }: SheetRecord, at: number) {
  return { text: cells[at] ?? '', fault: faults?.get(at), hiddenTime: hiddenTimes?.get(at) }
}

function clear(record: SheetRecord, at: number): void {
  if (at >= record.cells.length) return
  record.cells[at] = ''
  if (record.faults?.delete(at) === true && record.faults.size === 0) record.faults = undefined
  record.hiddenTimes?.delete(at)
}

function fill(record: SheetRecord, { left, text, fault, hiddenTime }: OpenRange): void {
  while (record.cells.length < left) record.cells.push('')
  record.cells[left] = text
  if (fault !== undefined) record.faults = new Map(record.faults).set(left, fault)
  if (hiddenTime !== undefined) record.hiddenTimes = new Map(record.hiddenTimes).set(left, hiddenTime)
}
