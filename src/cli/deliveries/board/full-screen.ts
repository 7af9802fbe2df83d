import type { ScreenSize } from '../../../render/board-frame.js'
import type { ProcessContext } from '../../process/context.js'

const enter = '\u001b[?1049h\u001b[?25l'
const leave = '\u001b[?25h\u001b[?1049l'
/** Synchronized output: terminals that support it show a frame at once; others ignore it. */
const [beginFrame, endFrame] = ['\u001b[?2026h', '\u001b[?2026l']

/** The alternate screen of a terminal; `leave` restores the previous screen and the cursor. */
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

  /** Replaces the content of the screen with these lines. */
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
