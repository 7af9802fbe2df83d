import { spanText } from './times.js'

/** How a run stands, as far as it is drawn. */
export interface RunProgress {
  done: number
  failed: number
  perSecond: number
  /** Rows of the input, guessed; `undefined` where its length is not known. */
  total: number | undefined
  etaMs: number | undefined
  waitingMs: number
}

const narrowestBar = 8
const widestBar = 40

/** One line that fits the given columns: a bar where the end is known, rate, time left, failures and waits. */
export function progressBar(progress: RunProgress, columns: number): string {
  const { done, total } = progress
  const share = total === undefined || total === 0 ? undefined : Math.min(1, done / total)
  const facts = [
    ...(share === undefined ? [String(done)] : [`${Math.floor(share * 100)} %`, `${done}/${total}`]),
    ...rateAndRest(progress),
  ].join('  ')
  const room = Math.min(widestBar, columns - 1 - facts.length - 4)
  if (share === undefined || room < narrowestBar) return facts.slice(0, Math.max(0, columns - 1))
  const filled = Math.round(share * room)
  return `[${'█'.repeat(filled)}${'░'.repeat(room - filled)}]  ${facts}`
}

/** The same as a line of words, for a log. */
export function progressWords(progress: RunProgress): string {
  const { done, total } = progress
  return [`${done}${total === undefined ? '' : ` of ${total}`} done`, ...rateAndRest(progress)].join(', ')
}

function rateAndRest({ perSecond, etaMs, failed, waitingMs }: RunProgress): string[] {
  return [
    `${perSecond < 100 ? perSecond.toFixed(1) : Math.round(perSecond)}/s`,
    ...(etaMs === undefined ? [] : [`${spanText(Math.ceil(etaMs / 1_000) * 1_000)} left`]),
    `${failed} failed`,
    ...(waitingMs >= 1_000 ? [`waiting ${spanText(Math.ceil(waitingMs / 1_000) * 1_000)}`] : []),
  ]
}
