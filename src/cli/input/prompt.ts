import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { UsageError } from '../../contract/index.js'
import type { ProcessContext } from '../process/context.js'
import { canAsk } from '../process/terminal.js'

/** Why and how a question can be avoided. */
export interface Question {
  text: string
  /** The flag that answers it, such as `--yes`. */
  flag: string
  noInput: boolean
}

function refuseWithoutTerminal(context: ProcessContext, { text, flag, noInput }: Question): void {
  if (canAsk(context, noInput)) return
  throw new UsageError(`This needs an answer, and nobody can be asked here: ${text}`, { hint: `Give ${flag}.` })
}

/** Asks for a yes on stderr. Where nobody can be asked, throws `UsageError` that names the flag. */
export async function confirm(context: ProcessContext, question: Question): Promise<boolean> {
  refuseWithoutTerminal(context, question)
  const lines = createInterface({ input: context.stdin, output: context.stderr })
  try {
    return /^y(?:es)?$/i.test((await lines.question(`${question.text} [y/N] `)).trim())
  } finally {
    lines.close()
  }
}

/** Asks for a line of text on stderr; `hidden` shows nothing of what is typed. */
export async function askText(context: ProcessContext, question: Question & { hidden?: boolean }): Promise<string> {
  refuseWithoutTerminal(context, question)
  const mute = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({
    input: context.stdin,
    output: question.hidden === true ? mute : context.stderr,
    terminal: true,
  })
  try {
    if (question.hidden === true) context.stderr.write(`${question.text} `)
    const answer = await lines.question(question.hidden === true ? '' : `${question.text} `)
    if (question.hidden === true) context.stderr.write('\n')
    return answer.trim()
  } finally {
    lines.close()
  }
}
