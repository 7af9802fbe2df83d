import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { UsageError } from '../../contract/index.js'
import { prose } from '../../render/plain-text.js'
import { trimmed } from '../../shared/texts.js'
import type { ProcessContext } from '../process/context.js'
import { canAsk, styleFor } from '../process/terminal.js'

/** The text of a prompt, and the flag that replaces it. */
interface Question {
  text: string
  /** Such as `--yes`. */
  flag: string
  noInput: boolean
}

/**
 * Asks on stderr for confirmation; the end of the input means no. Throws `UsageError` that names the flag if it cannot
 * prompt.
 */
export async function confirm(context: ProcessContext, question: Question): Promise<boolean> {
  const style = styleFor(context.stderr, context.env, false, context.nowMs())
  const answer = await ask(context, question, `${prose(`${question.text} [y/N]`, style)} `, false)
  return /^y(?:es)?$/i.test(answer ?? '')
}

/**
 * Asks on stderr for a line of text; `hidden` does not echo it. Throws `UsageError` that names the flag if it cannot
 * prompt or the input ends.
 */
export async function askText(context: ProcessContext, question: Question & { hidden?: boolean }): Promise<string> {
  const answer = await ask(context, question, `${question.text} `, question.hidden === true)
  if (answer === undefined) throw new UsageError(`No answer to: ${question.text}`, { hint: `Use ${question.flag}.` })
  return answer
}

/** One line from the terminal, trimmed; `undefined` at the end of the input. Ctrl-C interrupts the program as usual. */
async function ask(
  context: ProcessContext,
  { text, flag, noInput }: Question,
  prompt: string,
  hidden: boolean,
): Promise<string | undefined> {
  if (!canAsk(context, noInput))
    throw new UsageError(`Cannot prompt without a terminal: ${text.replace(/:$/, '')}`, { hint: `Use ${flag}.` })
  const { stdin, stderr, signals } = context
  const mute = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: stdin, output: hidden ? mute : stderr, terminal: true })
  const ended = new AbortController()
  let isInterrupted = false
  lines.once('SIGINT', () => {
    isInterrupted = true
    lines.close()
    stderr.write('\n')
    signals.emit('SIGINT')
  })
  lines.once('close', () => ended.abort())
  const startedMs = performance.now()
  try {
    if (hidden) stderr.write(prompt)
    const answer = await lines.question(hidden ? '' : prompt, { signal: ended.signal })
    if (hidden) stderr.write('\n')
    return trimmed(answer)
  } catch (error) {
    if (isInterrupted || !ended.signal.aborted) throw error
    stderr.write('\n')
    return undefined
  } finally {
    context.askedMs = (context.askedMs ?? 0) + performance.now() - startedMs
    lines.close()
  }
}
