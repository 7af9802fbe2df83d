import type { ScreenSize } from '../../render/board-frame.js'
import type { ProcessContext } from '../process/context.js'

const enter = '\u001b[?1049h\u001b[?25l'
const leave = '\u001b[?25h\u001b[?1049l'
/** Terminals that know them show a frame at once; the others ignore them. */
const [beginFrame, endFrame] = ['\u001b[?2026h', '\u001b[?2026l']

/** The alternate screen of a terminal: what was on the screen is there again after `close`, as is the cursor. */
export class FullScreen {
  readonly #stdout: ProcessContext['stdout']
  readonly #onResize: () => void
  readonly #leave = () => this.leave()
  #isOpen = false

  constructor({ stdout }: Pick<ProcessContext, 'stdout'>, onResize: () => void) {
    this.#stdout = stdout
    this.#onResize = onResize
  }

  get size(): ScreenSize {
    const { rows = 24, columns = 80 } = this.#stdout
    return { rows, columns }
  }

  enter(): void {
    if (this.#isOpen) return
    this.#isOpen = true
    this.#stdout.write(enter)
    this.#stdout.on('resize', this.#onResize)
    process.once('exit', this.#leave)
  }

  /** Shows these lines, each on a row of its own, and nothing else. */
  draw(lines: readonly string[]): void {
    if (!this.#isOpen) return
    const shown = lines.slice(0, this.size.rows).map((line) => `${line}\u001b[0m\u001b[K`)
    this.#stdout.write(`${beginFrame}\u001b[H${shown.join('\r\n')}\u001b[J${endFrame}`)
  }

  leave(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    process.off('exit', this.#leave)
    this.#stdout.off('resize', this.#onResize)
    this.#stdout.write(leave)
  }
}
