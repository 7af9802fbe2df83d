import { isE164, postalCodeOf } from '../../../contract/index.js'
import { askText } from '../../input/prompt.js'
import type { Notices } from '../../output/notices.js'
import type { ProcessContext } from '../../process/context.js'

/** The parts that every order needs, by the flags that give them. */
interface NeededParts {
  store: string
  to: string
  name: string
  phone: string
  ref: string
}

export type NeededFlag = keyof NeededParts

/** The needed parts, in the order in which they are asked for, with what is wrong with an answer. */
const questions: Readonly<Record<NeededFlag, { text: string; fault: (answer: string) => string | undefined }>> = {
  store: { text: 'Store (pickup.storeReference)', fault: isGiven },
  to: {
    text: 'Address (street, city, ST 12345)',
    fault: (answer) => (postalCodeOf(answer) === undefined ? 'Expected street, city, ST 12345.' : undefined),
  },
  name: { text: "Recipient's name", fault: isGiven },
  phone: {
    text: "Recipient's phone (+1…)",
    fault: (answer) => (isE164(answer) ? undefined : 'Expected E.164, such as +12025550123.'),
  },
  ref: { text: 'Order reference', fault: isGiven },
}

export const neededFlags = Object.keys(questions) as NeededFlag[]

function isGiven(answer: string): string | undefined {
  return answer === '' ? 'This is needed.' : undefined
}

/**
 * Asks for the parts that an order still needs, each until the answer can be sent; Enter takes a proposal. Ctrl-C ends
 * the program.
 *
 * @throws UsageError that names the flag if the input ends
 */
export async function askParts(
  context: ProcessContext,
  notices: Notices,
  missing: readonly NeededFlag[],
  proposals: Partial<NeededParts>,
): Promise<Partial<NeededParts>> {
  const answers: Partial<NeededParts> = {}
  for (const flag of missing) {
    const { text, fault } = questions[flag]
    const proposal = proposals[flag]
    const question = `${text}${proposal === undefined ? '' : ` [${proposal}]`}:`
    for (;;) {
      const typed = await askText(context, { text: question, flag: `--${flag}`, noInput: false })
      const answer = typed === '' && proposal !== undefined ? proposal : typed
      const problem = fault(answer)
      if (problem === undefined) {
        answers[flag] = answer
        break
      }
      notices.warn(problem)
    }
  }
  return answers
}

/** A reference that no order has yet: `ORDER-20260302-150405`, by the time in UTC. */
export function proposedReference(nowMs: number): string {
  const [day = '', time = ''] = new Date(nowMs).toISOString().slice(0, 19).replace(/[-:]/g, '').split('T')
  return `ORDER-${day}-${time}`
}
