import { type ProseStyle, plainLines, prose } from '../../render/plain-text.js'
import { paint, type Style } from '../../render/style.js'
import { onAccount } from '../../shared/command-words.js'
import type { OutputStream } from '../process/context.js'

/**
 * Notices and warnings on stderr. With `--json` they are held back: they are printed after a success and dropped after
 * a failure, so that stderr has only one object.
 */
export class Notices {
  private held: string[] = []
  private holds: boolean

  constructor(
    private readonly stderr: OutputStream,
    private readonly style: Pick<Style, 'colour'> & ProseStyle,
    private readonly alwaysHolds: boolean,
    /** The flags that chose the account, for the commands that a text recommends. */
    private readonly accountFlags: string,
  ) {
    this.holds = alwaysHolds
  }

  /** Holds everything back until `release`, while a screen is drawn that it would overwrite. */
  hold(): void {
    this.holds = true
  }

  /** Ends `hold`. With `--json`, notices are delayed in any case. */
  resume(): void {
    this.holds = this.alwaysHolds
    if (!this.holds) this.release()
  }

  /** A notice. */
  notice(text: string): void {
    this.print(paint(this.style, 'dim', prose(this.plain(text), this.style)))
  }

  /** A warning. */
  warn(text: string): void {
    this.print(prose(`${paint(this.style, 'yellow', 'warning:')} ${this.plain(text)}`, this.style))
  }

  /** A warning of an error that ends nothing. */
  warnOf(error: unknown): void {
    this.warn(error instanceof Error ? error.message : String(error))
  }

  private plain(text: string): string {
    return onAccount(plainLines(text), this.accountFlags)
  }

  /** A line without formatting, such as a trace. */
  print(line: string): void {
    if (this.holds) this.held.push(line)
    else this.stderr.write(`${line}\n`)
  }

  /** Prints the delayed notices; called when the command has succeeded. */
  release(): void {
    for (const line of this.held) this.stderr.write(`${line}\n`)
    this.held = []
  }
}
