import { postalCodeOf } from '../../contract/index.js'
import { sentence } from '../../shared/texts.js'
import { orderRefusals } from '../bulk/preflight.js'
import { askText } from '../input/prompt.js'
import type { Notices } from '../output/notices.js'
import type { ProcessContext } from '../process/context.js'
import { completedOrder, orderAssignments } from './complete-order.js'
import { fieldFlags } from './order-flags.js'
import type { SheetForms } from './sheets/sheet-forms.js'

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
  phone: { text: "Recipient's phone (+1…)", fault: isGiven },
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
  forms: SheetForms | undefined,
): Promise<Partial<NeededParts>> {
  const answers: Partial<NeededParts> = {}
  for (const flag of missing) {
    const { text, fault } = questions[flag]
    const proposal = proposals[flag]
    const question = `${text}${proposal === undefined ? '' : ` [${proposal}]`}:`
    for (;;) {
      const typed = await askText(context, { text: question, flag: `--${flag}`, noInput: false })
      const answer = typed === '' && proposal !== undefined ? proposal : typed
      const problem = fault(answer) ?? refusalOf(flag, answer, forms)
      if (problem === undefined) {
        answers[flag] = answer
        break
      }
      notices.warn(problem)
    }
  }
  return answers
}

/** Why an answer would be refused as the value of its flag. */
function refusalOf(flag: NeededFlag, answer: string, forms: SheetForms | undefined): string | undefined {
  const path = fieldFlags[flag] ?? flag
  const order = completedOrder({}, { assignments: orderAssignments({ [flag]: answer }, Number.NaN), forms })
  const refusal = orderRefusals(order, { purpose: 'order', nowMs: undefined }).find(
    ({ field }) => field === path || field.startsWith(`${path}.`),
  )
  return refusal?.message === undefined ? undefined : sentence(refusal.message)
}
