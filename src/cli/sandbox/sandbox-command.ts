import { idOf, type View } from '../../render/view.js'
import { ApiCommand } from '../command/api-command.js'
import { refuseOnProduction } from '../command/production-guard.js'
import { type Steer, steering } from './control.js'

/** A command that steers a sandbox, embedded or served on this machine. */
export abstract class SandboxCommand extends ApiCommand {
  /** `replaceDamaged` sets a damaged file of the embedded sandbox aside for an empty state, and says so. */
  protected async steer(options: { replaceDamaged?: boolean } = {}): Promise<Steer> {
    const settings = await this.settings({ needsKey: false })
    refuseOnProduction(settings, (this.id ?? 'sandbox').replaceAll(':', ' '))
    return steering(settings, () => this.sandbox(options))
  }

  /** The account that receivers and secrets belong to: the one named, else the one of the API key in use. */
  protected async accountChoice(named: string | undefined): Promise<{ account?: string }> {
    const account = named ?? (await this.settings({ needsKey: false })).apiKey
    return account === undefined ? {} : { account }
  }
}

/** A table over the rows of an answer. */
export function rowsView(id: string, names: readonly string[], empty: string): View<unknown[]> {
  return { id: idOf(id), columns: names.map((name) => ({ name, elastic: true })), empty }
}
