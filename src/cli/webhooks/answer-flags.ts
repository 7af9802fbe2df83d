import { randomInt } from 'node:crypto'
import { Flags, type Interfaces } from '@oclif/core'
import { UsageError } from '../../contract/index.js'
import type { BadAnswers } from '../../listener/index.js'
import { repeatable } from '../command/write-flags.js'
import { parseDurationMs } from '../input/durations.js'

/** Flags of `webhooks listen` that let it fail on purpose. */
export const answerFlags = {
  answer: Flags.string({
    summary: 'Fail on purpose, such as 500@30% or reset@5%; repeatable',
    helpValue: 'ANSWER',
    ...repeatable,
  }),
  'answer-delay': Flags.string({ summary: 'Hold answers back, such as 12s or 12s@20%', helpValue: 'SPAN' }),
  'answer-seed': Flags.integer({ summary: 'Seed that chooses the same webhooks again', min: 0, helpValue: 'N' }),
}

/**
 * How the listener answers on purpose; `undefined` if it does not.
 *
 * @throws UsageError for an answer, a share or a delay that is none
 */
export function badAnswersOf(flags: Interfaces.InferredFlags<typeof answerFlags>): BadAnswers | undefined {
  const { answer = [], 'answer-delay': delay, 'answer-seed': seed } = flags
  if (answer.length === 0 && delay === undefined) {
    if (seed === undefined) return undefined
    throw new UsageError('--answer-seed needs --answer or --answer-delay.')
  }
  const answers = answer.map(parseAnswer)
  const total = answers.reduce((sum, { share }) => sum + share, 0)
  // Shares such as 30% are not exact in binary.
  if (total > 1 + 1e-9)
    throw new UsageError(`--answer ${answer.join(' --answer ')}: the shares add up to more than 100%.`)
  return { answers, delay: delay === undefined ? undefined : parseDelay(delay), seed: seed ?? randomInt(2 ** 32) }
}

function parseAnswer(text: string): BadAnswers['answers'][number] {
  const { what, share } = withShare(text, '--answer')
  if (what === 'reset') return { answer: 'reset', share }
  if (/^[345]\d\d$/.test(what)) return { answer: Number(what), share }
  throw new UsageError(`--answer must be a status from 300 to 599, or reset, got "${text.slice(0, 40)}".`, {
    hint: 'Add a share of the webhooks if needed: --answer 500@30% --answer reset@5%',
  })
}

function parseDelay(text: string): NonNullable<BadAnswers['delay']> {
  const { what, share } = withShare(text, '--answer-delay')
  return { ms: parseDurationMs(what, '--answer-delay'), share }
}

/** The part before `@`, and the share after it; all of them if there is none. */
function withShare(text: string, flag: string): { what: string; share: number } {
  const at = text.indexOf('@')
  if (at === -1) return { what: text, share: 1 }
  const [, percent] = /^(\d+(?:\.\d+)?)%$/.exec(text.slice(at + 1)) ?? []
  const share = Number(percent) / 100
  if (share > 0 && share <= 1) return { what: text.slice(0, at), share }
  throw new UsageError(`${flag} expects a share from 0% to 100% after the @, as in 30%, got "${text.slice(0, 40)}".`)
}
