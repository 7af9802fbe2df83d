import { Args, Flags } from '@oclif/core'
import { BaseCommand } from '../../../cli/command/base-command.js'
import { keyFileBytes, readInputText } from '../../../cli/input/read.js'
import { allowWeakSecretFlag, checkSecrets, readSecretFiles } from '../../../cli/input/secrets.js'
import { editableProfile, profilesOf, warnOfShared, withSecrets } from '../../../cli/profiles/stored-secrets.js'
import { changeProfiles, type NamedSecret } from '../../../profiles/index.js'
import { fingerprintOf } from '../../../webhooks/internal.js'

export default class AddSecret extends BaseCommand {
  static override summary = 'Add a webhook secret to a profile.'
  static override description =
    'A webhook is accepted if any secret of the profile verifies it, so during a rotation add the new secret first and remove the old one once it is no longer used. The secret is read from a file, or with - from standard input.'
  static override examples = [
    '<%= config.bin %> profiles secrets add acme new-secret.txt',
    'pass show acme/webhooks | <%= config.bin %> profiles secrets add acme - --name 2026-11',
  ]
  static override args = {
    profile: Args.string({ description: 'Name of the profile', required: true, ignoreStdin: true }),
    file: Args.string({ description: 'File with the secret, or -', required: true, ignoreStdin: true }),
  }
  static override flags = {
    name: Flags.string({ summary: "Name of the secret (default: the file's)", helpValue: 'NAME' }),
    ...allowWeakSecretFlag,
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(AddSecret)
    const { profile } = args
    const allowWeak = flags['allow-weak-secret']
    editableProfile(profilesOf(this.session), profile)
    const [read] = args.file === '-' ? [await this.fromInput()] : await this.fromFile(args.file, allowWeak)
    const added = { ...read, name: flags.name ?? read?.name ?? '', ...(allowWeak ? { allowWeak } : {}) } as NamedSecret
    checkSecrets([added], (text) => this.session.notices.warn(text))
    const count = { before: 0, after: 0 }
    await changeProfiles(this.config.configDir, (file) => {
      const before = editableProfile(file, profile)
      const webhookSecrets = withSecrets(before.webhookSecrets, [added], this.session.nowMs())
      count.before = before.webhookSecrets.length
      count.after = webhookSecrets.length
      return { ...file, profiles: { ...file.profiles, [profile]: { ...before, webhookSecrets } } }
    })
    warnOfShared(this.session, profile, [added])
    const isNew = count.after > count.before
    const what = `Secret ${fingerprintOf(added.secret)}`
    this.session.notices.notice(
      isNew ? `${what} added to profile ${profile}.` : `Profile ${profile} has it already: ${what}.`,
    )
  }

  private fromFile(file: string, allowWeak: boolean): Promise<NamedSecret[]> {
    return readSecretFiles(this.session.context, [file], (text) => this.session.notices.warn(text), {
      flag: 'FILE',
      allowWeak,
    })
  }

  private async fromInput(): Promise<NamedSecret> {
    return {
      name: 'standard input',
      secret: (await readInputText(this.session.context, '-', 'FILE', keyFileBytes)).trim(),
    }
  }
}
