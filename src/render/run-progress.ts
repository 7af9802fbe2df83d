import { spanText } from './times.js'

/** The progress of a run. */
export interface RunProgress {
  done: number
  failed: number
  perSecond: number
  /** Estimated rows of the input; `undefined` if its length is unknown. */
  total: number | undefined
  etaMs: number | undefined
  waitingMs: number
}

const narrowestBar = 8
const widestBar = 40

/** A line that fits the given columns: a bar if the total is known, the rate, the time left, failures and waits. */
export function progressBar(progress: RunProgress, columns: number): string {
  const { done, total } = progress
  const share = total === undefined || total === 0 ? undefined : Math.min(1, done / total)
  const facts = [
    ...(share === undefined ? [String(done)] : [`${Math.floor(share * 100)} %`, `${done}/${total}`]),
    ...rateAndRemainder(progress),
  ].join('  ')
  const room = Math.min(widestBar, columns - 1 - facts.length - 4)
  if (share === undefined || room < narrowestBar) return facts.slice(0, Math.max(0, columns - 1))
  const filled = Math.round(share * room)
  return `[${'█'.repeat(filled)}${'░'.repeat(room - filled)}]  ${facts}`
}

/** The progress as words, for a log. */
export function progressWords(progress: RunProgress): string {
  const { done, total } = progress
  return [`${done}${total === undefined ? '' : ` of ${total}`} done`, ...rateAndRemainder(progress)].join(', ')
}

function rateAndRemainder({ perSecond, etaMs, failed, waitingMs }: RunProgress): string[] {
  return [
    `${perSecond < 100 ? perSecond.toFixed(1) : Math.round(perSecond)}/s`,
    ...(etaMs === undefined ? [] : [`${spanText(Math.ceil(etaMs / 1_000) * 1_000)} left`]),
    `${failed} failed`,
    ...(waitingMs >= 1_000 ? [`waiting ${spanText(Math.ceil(waitingMs / 1_000) * 1_000)}`] : []),
  ]
}
