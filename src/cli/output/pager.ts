import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { textWidth } from '../../render/plain-text.js'
import type { ProcessContext } from '../process/context.js'
import { programEnvironment } from '../process/program-environment.js'
import { writeOut } from '../process/streams.js'

/** Exit codes of a shell that cannot run its command. */
const notRun = [126, 127]

/**
 * Output that is shown by a pager once it is longer than the screen. Until then it is held back; `finish` prints it or
 * waits until the pager has ended.
 */
export class Pager {
  #held = ''
  #heldRows = 0
  #child: ChildProcess | undefined
  #ended: Promise<number> | undefined
  #isGone = false

  constructor(
    private readonly context: ProcessContext,
    /** The command line of the pager. */
    private readonly command: string,
    private readonly screen: { rows: number; columns: number },
    /** Called when the pager takes over the screen and when it leaves it. */
    private readonly onPaging: (isPaging: boolean) => void,
  ) {}

  async write(text: string): Promise<void> {
    if (this.#child !== undefined) return this.#pass(text)
    this.#held += text
    this.#heldRows += rowsOf(text, this.screen.columns)
    if (this.#heldRows < this.screen.rows) return
    this.#start()
    await this.#pass(this.#held)
  }

  /** Resolves once everything can be seen, and with a pager once it was left. */
  async finish(): Promise<void> {
    if (this.#child === undefined || this.#ended === undefined) return writeOut(this.context.stdout, this.#held)
    this.#child.stdin?.end()
    const code = await this.#ended
    if (notRun.includes(code)) await writeOut(this.context.stdout, this.#held)
  }

  #start(): void {
    const { context } = this
    const { env, cwd } = context
    const child = spawn(this.command, {
      shell: true,
      stdio: ['pipe', 'inherit', 'inherit'],
      cwd,
      env: { LESS: 'FRX', LV: '-c', ...programEnvironment(env) },
    })
    this.onPaging(true)
    const interruption = context.onInterruption
    // Ctrl-C belongs to the pager, which stays.
    context.onInterruption = () => {}
    this.#child = child
    child.stdin?.on('error', () => {
      this.#isGone = true
    })
    this.#ended = new Promise<number>((resolve) => {
      child.on('error', () => resolve(127))
      child.on('exit', (code) => resolve(code ?? 0))
    }).finally(() => {
      this.#isGone = true
      if (interruption === undefined) delete context.onInterruption
      else context.onInterruption = interruption
      this.onPaging(false)
    })
  }

  /** Ends the program when the user quits the pager. A pager that cannot be started is ignored. */
  async #pass(text: string): Promise<void> {
    const { context } = this
    if (!this.#isGone && this.#child?.stdin?.write(text) === false)
      await Promise.race([once(this.#child.stdin, 'drain').catch(() => {}), this.#ended])
    if (!this.#isGone) return
    const code = (await this.#ended) ?? 0
    if (!notRun.includes(code)) return context.exit(Number(context.exitCode ?? 0))
    if (text !== this.#held) this.#held += text
  }
}

/** The rows that a text takes on a screen, whose lines are wrapped at its width. */
function rowsOf(text: string, columns: number): number {
  return text
    .replace(/\n$/, '')
    .split('\n')
    .reduce((rows, line) => rows + Math.max(1, Math.ceil(textWidth(line) / columns)), 0)
}
