import { Args } from '@oclif/core'
import { BaseCommand } from '../../cli/command/base-command.js'
import { UsageError } from '../../contract/index.js'
import { overrideOf, profileFilePath, profileHere, ResolvedAccount, readProfiles } from '../../profiles/index.js'
import { type SettingsRow, settingsView } from '../../render/profile-view.js'

export default class ShowProfile extends BaseCommand {
  static override summary = 'Show the effective settings and their sources.'
  static override examples = [
    '<%= config.bin %> profiles show',
    '<%= config.bin %> profiles show acme',
    '<%= config.bin %> profiles show --jq .sources',
  ]
  static override args = {
    name: Args.string({ description: 'Name of the profile (default: the current one)', ignoreStdin: true }),
  }

  async run(): Promise<SettingsRow> {
    const { args, flags } = await this.parse(ShowProfile)
    const { env, cwd } = this.session.context
    const { configDir } = this.config
    const named = args.name ?? flags.profile
    const output = flags.json ? 'json' : flags.output
    const account = new ResolvedAccount({
      flags: { profile: named, baseUrl: flags['base-url'], output },
      env,
      cwd,
      configDir,
    })
    const settings = await account.withKey().catch((error: unknown) => {
      if (!(error instanceof UsageError)) throw error
      this.session.notices.warn(error.message)
      return account.settings
    })
    for (const warning of settings.warnings) this.session.notices.warn(warning)
    const { current } = readProfiles(configDir)
    const here =
      typeof current === 'string' && named === undefined ? profileHere(current, { env, cwd, configDir }) : undefined
    const overridden = args.name ?? here
    const override = overridden === undefined ? undefined : overrideOf(overridden, { env, cwd, configDir })
    if (override !== undefined) this.session.notices.notice(override)
    // A profile that is only shown decides nothing.
    const isOnlyShown = (notice: string) => args.name !== undefined && notice.startsWith('-P ')
    for (const notice of settings.notices) if (!isOnlyShown(notice)) this.session.notices.notice(notice)
    const row: SettingsRow = {
      profile: settings.profile,
      environment: settings.environment,
      baseUrl: settings.baseUrl ?? null,
      apiKey: settings.apiKey === undefined ? null : masked(settings.apiKey),
      webhookSecrets: settings.webhookSecrets.map(({ name, secret }) => `${name}: ${masked(secret)}`),
      output: settings.output ?? 'table',
      configFile: profileFilePath(this.config.configDir),
      dataDir: this.config.dataDir,
      sources: settings.sources,
    }
    await this.session.show(settingsView, row)
    return row
  }
}

/** A key or secret, masked so that it can be recognized but not used: its first letters and its length. */
function masked(secret: string): string {
  const shown = secret.startsWith('whsec_') ? 6 : Math.min(4, Math.floor(secret.length / 4))
  return `${secret.slice(0, shown)}… (${secret.length} characters)`
}
