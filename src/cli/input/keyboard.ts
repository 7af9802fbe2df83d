import { readFileSync } from 'node:fs'
import type { ProcessContext } from '../process/context.js'

/** The action of each key: letters, `up`, `down`, `left`, `right`, `enter` and `escape`. */
export type Keys = Readonly<Record<string, () => void>>

const names: Readonly<Record<string, string>> = {
  '\u001b[A': 'up',
  '\u001bOA': 'up',
  '\u001b[B': 'down',
  '\u001bOB': 'down',
  '\u001b[C': 'right',
  '\u001bOC': 'right',
  '\u001b[D': 'left',
  '\u001bOD': 'left',
  '\u001b[H': 'home',
  '\u001b[F': 'end',
  '\u001b[1~': 'home',
  '\u001b[4~': 'end',
  '\u001bOH': 'home',
  '\u001bOF': 'end',
  '\u001b[5~': 'pageup',
  '\u001b[6~': 'pagedown',
  '\u007f': 'backspace',
  '\b': 'backspace',
  '\r': 'enter',
  '\n': 'enter',
  '\u001b': 'escape',
}

/** Whether keys can be read one by one: stdin is a terminal and the process is in the foreground. */
export function canReadKeys({ stdin, stdout, env }: ProcessContext, noInput: boolean): boolean {
  const isTerminal = stdin.isTTY === true && stdout.isTTY === true
  return isTerminal && !noInput && env.CI === undefined && env.TERM !== 'dumb' && isForegroundJob()
}

/** The steps of a full-screen program around Ctrl-Z. */
interface Suspension {
  leave(): void
  comeBack(): void
}

/**
 * Reads keys until the returned function is called, which restores the terminal. Ctrl-C and Ctrl-Z keep their meaning,
 * although raw mode would take it away.
 */
export function readKeys(context: ProcessContext, keys: Keys): () => void {
  return readStrokes(context, (stroke) => keys[stroke.toLowerCase()]?.())
}

/** Like `readKeys`, with every key by its name or as the character that was typed. */
export function readStrokes(
  { stdin, signals }: ProcessContext,
  onStroke: (stroke: string) => void,
  suspension?: Suspension,
): () => void {
  const onData = (bytes: Buffer) => {
    for (const stroke of strokesOf(bytes.toString('utf8'))) press(stroke)
  }
  const press = (stroke: string) => {
    if (stroke === '\u0003') signals.emit('SIGINT')
    else if (stroke === '\u001a') suspend()
    else onStroke(names[stroke] ?? stroke)
  }
  const take = () => {
    stdin.setRawMode?.(true)
    stdin.resume()
  }
  const giveBack = () => {
    if (stdin.isRaw) stdin.setRawMode?.(false)
    stdin.pause()
  }
  const comeBack = () => {
    take()
    suspension?.comeBack()
  }
  const suspend = () => {
    suspension?.leave()
    giveBack()
    process.once('SIGCONT', comeBack)
    process.kill(process.pid, 'SIGTSTP')
  }
  stdin.on('data', onData)
  process.once('exit', giveBack)
  take()
  return () => {
    stdin.off('data', onData)
    process.off('exit', giveBack)
    process.off('SIGCONT', comeBack)
    giveBack()
  }
}

/** Single characters, and the sequences of special keys. */
function strokesOf(text: string): string[] {
  return text.match(/\u001b[[O][A-Z]|\u001b\[\d+~|[\s\S]/gu) ?? []
}

/** The system stops a background job that reads from its terminal. Known on Linux; assumed elsewhere. */
function isForegroundJob(): boolean {
  try {
    const [, , , group, , , front] = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /s, 'x ')
      .split(' ')
    return group === front
  } catch {
    return true // no such file on this system
  }
}
