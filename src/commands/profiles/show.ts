import { Args } from '@oclif/core'
import { BaseCommand } from '../../cli/command/base-command.js'
import { masked } from '../../cli/profiles/masked.js'
import { profileFilePath, resolveSettings } from '../../profiles/index.js'
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
    const settings = await resolveSettings({
      flags: {
        profile: args.name ?? flags.profile,
        baseUrl: flags['base-url'],
        output: flags.json ? 'json' : flags.output,
      },
      env: this.context.env,
      cwd: this.context.cwd,
      configDir: this.config.configDir,
    })
    for (const warning of settings.warnings) this.notices.warn(warning)
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
    await this.show(settingsView, row)
    return row
  }
}
