import { BaseCommand } from '../command/base-command.js'
import { refuseOnProduction } from '../command/production-guard.js'
import { embeddedFile } from '../session/embedded-sandbox.js'
import { accountIdOf } from './account-id.js'
import { embeddedControl, type SandboxControl, servedControl } from './control.js'

/** A command that controls a sandbox of this user, embedded or served. */
export abstract class SandboxCommand extends BaseCommand {
  /** `replaceDamaged` replaces a damaged file of the embedded sandbox with an empty state, and says so. */
  protected async control(options: { replaceDamaged?: boolean } = {}): Promise<SandboxControl> {
    const settings = await this.sandboxSettings()
    const control =
      settings.baseUrl === undefined
        ? embeddedControl(await this.session.account.sandbox(options))
        : await servedControl(settings.baseUrl, this.session.account.proofPlace)
    this.session.output.followClock(async () => Date.parse(((await control('GET', '/clock')) as { now: string }).now))
    return control
  }

  /** The location of the state, for a question: a file, or the URL of the sandbox that serves it. */
  protected async stateName(): Promise<string> {
    const { baseUrl } = await this.sandboxSettings()
    return baseUrl ?? embeddedFile(this.config.dataDir)
  }

  /** The account that endpoints and secrets belong to: the named one, or the one of the API key in use. */
  protected async accountChoice(named: string | undefined): Promise<{ account?: string }> {
    const account = await accountIdOf(await this.session.account.settings({ needsKey: false }), named)
    return account === undefined ? {} : { account }
  }

  private async sandboxSettings() {
    const settings = await this.session.account.settings({ needsKey: false })
    refuseOnProduction(settings, (this.id ?? 'sandbox').replaceAll(':', ' '))
    return settings
  }
}
