import { plainLines } from '../../render/plain-text.js'
import { paint, type Style } from '../../render/style.js'
import type { OutputStream } from '../process/context.js'

/**
 * What a person should know beside the result, on stderr. Under `--json` it waits: after a success it is printed, after
 * a failure it is dropped, so that stderr holds one object alone.
 */
export class Notices {
  private held: string[] = []

  constructor(
    private readonly stderr: OutputStream,
    private readonly style: Pick<Style, 'colour'>,
    private readonly holds: boolean,
  ) {}

  /** Something worth knowing. */
  notice(text: string): void {
    this.print(paint(this.style, 'dim', plainLines(text)))
  }

  /** Something that may go wrong. */
  warn(text: string): void {
    this.print(`${paint(this.style, 'yellow', 'warning:')} ${plainLines(text)}`)
  }

  /** A line as it is, such as a trace. */
  print(line: string): void {
    if (this.holds) this.held.push(line)
    else this.stderr.write(`${line}\n`)
  }

  /** Prints what was held back; called where the command succeeded. */
  release(): void {
    for (const line of this.held) this.stderr.write(`${line}\n`)
    this.held = []
  }
}
