import { UsageError } from '../../contract/index.js'
import { accountName, type NamedSecret, noProfile, readProfiles, secretsOfVariable } from '../../profiles/index.js'
import { refuseForeignSecrets } from '../accounts/secret-owner.js'
import { checkSecrets, readSecretFiles } from '../input/secrets.js'
import { followedSecrets } from '../profiles/stored-secrets.js'
import { accountIdOf, embeddedControl } from '../sandbox/control.js'
import type { Session } from '../session/session.js'

/** The webhook secrets of a session. They need no base URL and no API key if a secret is given. */
export class Secrets {
  constructor(private readonly session: Session) {}

  /**
   * The secrets to verify or sign with: files, `DLV_WEBHOOK_SECRET`, the profile's, and in the `local` profile the
   * embedded sandbox's own. Warns of short keys.
   *
   * @throws UsageError if there is none, or one cannot be used
   */
  async given(files: readonly string[] | undefined = [], allowWeak?: boolean): Promise<readonly NamedSecret[]> {
    const given = await this.secretsAsGiven(files, allowWeak)
    const secrets = allowWeak && !this.isOfSandbox(given) ? given.map((named) => ({ ...named, allowWeak })) : given
    checkSecrets(secrets, (text) => this.session.notices.warn(text))
    return secrets
  }

  /** A function that returns these secrets; those of a profile and of the embedded sandbox as they are by then. */
  async followed(secrets: readonly NamedSecret[]): Promise<() => readonly NamedSecret[]> {
    if (this.isOfSandbox(secrets)) return this.sandboxSecrets()
    const { webhookSecrets, sources, profile } = await this.session.account.settings({ needsKey: false })
    const isOwn = secrets === webhookSecrets && sources.webhookSecrets === `profile ${profile}`
    return isOwn ? followedSecrets(this.session.config.configDir, profile, secrets) : () => secrets
  }

  /** A sentence that says which secret an app behind the listener verifies with; only the sandbox's own is shown. */
  async ofApps(secrets: readonly NamedSecret[]): Promise<string> {
    if (this.isOfSandbox(secrets)) return `Your app verifies with the sandbox's signing secret: ${secrets[0]?.secret}`
    const { webhookSecrets, sources } = await this.session.account.settings({ needsKey: false })
    const owner =
      secrets === webhookSecrets && sources.webhookSecrets?.startsWith('profile ')
        ? ` of ${sources.webhookSecrets}`
        : ''
    const names = secrets.map(({ name }) => `"${name}"`).join(' or ')
    return `Your app verifies with the secret of this listener: ${names}${owner}.`
  }

  /** The secrets that the embedded sandbox signs with for the account in use: the same array until they change. */
  private async sandboxSecrets(): Promise<() => readonly NamedSecret[]> {
    const sandbox = await this.session.account.sandbox()
    const account = await accountIdOf(
      embeddedControl(sandbox),
      await this.session.account.settings({ needsKey: false }),
    )
    // A webhook that arrives while the sandbox is closed is verified with its last secrets.
    this.session.onClose(() => {
      this.isClosing = true
    })
    return () => {
      const secrets = this.isClosing ? this.ofSandbox.map(({ secret }) => secret) : sandbox.webhookSecrets(account)
      if (String(secrets) !== String(this.ofSandbox.map(({ secret }) => secret))) {
        this.ofSandbox = secrets.map((secret, index) => ({
          name: index === 0 ? 'embedded sandbox' : `embedded sandbox, secret ${index + 1}`,
          secret,
        }))
      }
      return this.ofSandbox
    }
  }

  /** Whether these are the secrets of the embedded sandbox. */
  isOfSandbox(secrets: readonly NamedSecret[]): boolean {
    return secrets === this.ofSandbox
  }

  private ofSandbox: readonly NamedSecret[] = []
  private isClosing = false

  private async secretsAsGiven(files: readonly string[], allowWeak?: boolean): Promise<readonly NamedSecret[]> {
    if (files.length > 0)
      return readSecretFiles(this.session.context, files, (text) => this.session.notices.warn(text), { allowWeak })
    // A secret is enough for a command that asks no service; only a named profile comes before the variable.
    const isNamed = this.session.flags.profile !== undefined || this.session.context.account !== undefined
    const fromVariable = isNamed ? [] : secretsOfVariable(this.session.context.env)
    if (fromVariable.length > 0) return fromVariable
    const settings = await this.session.account.settings({ needsKey: false })
    if (settings.webhookSecrets.length > 0) return settings.webhookSecrets
    if (settings.baseUrl === undefined) {
      // The sandbox's secret would look like success, and refuse every webhook of the service.
      if (!isNamed && this.session.context.env.DLV_WEBHOOK_SECRET?.trim() === '')
        throw new UsageError('DLV_WEBHOOK_SECRET is empty: is the secret that it comes from set?', {
          hint: 'Set it, unset it, or take the one of the embedded sandbox: -P local',
        })
      return (await this.sandboxSecrets())()
    }
    const store =
      settings.profile === noProfile ? '' : `, or store one: dlv profiles secrets add ${settings.profile} FILE`
    throw new UsageError(`${accountName(settings).replace(/^p/, 'P')} has no webhook secret.`, {
      hint: (await this.session.account.isOwnSandbox(settings))
        ? 'Set DLV_WEBHOOK_SECRET to the signing secret that dlv sandbox start prints, and register the listener: dlv sandbox endpoints add URL'
        : `Use --secret-file or DLV_WEBHOOK_SECRET${store}`,
    })
  }

  /**
   * Refuses to sign with secrets that have verified webhooks of another account.
   *
   * @throws UsageError that names the secret and its account
   */
  async refuseForeign(secrets: readonly NamedSecret[]): Promise<void> {
    const { account, config } = this.session
    const settings = await account.settings({ needsKey: false })
    await refuseForeignSecrets(secrets, await account.identity(), { dataDir: config.dataDir, settings })
  }

  /** Secrets of every profile, to recognize a mix-up; never accepted. */
  foreign(known: readonly NamedSecret[]): NamedSecret[] {
    const mine = new Set(known.map(({ secret }) => secret))
    return Object.entries(readProfiles(this.session.config.configDir).profiles).flatMap(
      ([profile, { webhookSecrets }]) =>
        webhookSecrets
          .filter(({ secret }) => !mine.has(secret))
          .map(({ name, secret }) => ({ name: `${name} of profile ${profile}`, secret })),
    )
  }
}
