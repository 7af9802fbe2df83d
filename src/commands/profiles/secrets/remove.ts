import { Args, Flags } from '@oclif/core'
import { BaseCommand } from '../../../cli/command/base-command.js'
import { confirm } from '../../../cli/input/prompt.js'
import { editableProfile, profilesOf, secretCalled } from '../../../cli/profiles/stored-secrets.js'
import { changeProfiles } from '../../../profiles/index.js'
import { fingerprintOf, isSameSecret, weakFingerprint } from '../../../webhooks/internal.js'

export default class RemoveSecret extends BaseCommand {
  static override summary = 'Remove a webhook secret from a profile.'
  static override description =
    'Webhooks that only this secret verifies are rejected from then on; profiles secrets list shows when it was last used.'
  static override examples = ['<%= config.bin %> profiles secrets remove acme old-secret.txt']
  static override args = {
    profile: Args.string({ description: 'Name of the profile', required: true, ignoreStdin: true }),
    secret: Args.string({ description: 'Name or fingerprint of the secret', required: true, ignoreStdin: true }),
  }
  static override flags = { yes: Flags.boolean({ char: 'y', summary: 'Skip the confirmation prompt' }) }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(RemoveSecret)
    const { profile, secret: called } = args
    const { name, secret } = secretCalled(
      profile,
      editableProfile(profilesOf(this.session), profile).webhookSecrets,
      called,
    )
    const fingerprint = fingerprintOf(secret)
    const what = fingerprint === weakFingerprint ? name : fingerprint
    const text = `Remove the secret ${name} (${fingerprint}) of profile ${profile}?`
    if (!flags.yes && !(await confirm(this.session.context, { text, flag: '--yes', noInput: flags['no-input'] })))
      return
    await changeProfiles(this.config.configDir, (file) => {
      const before = editableProfile(file, profile)
      const webhookSecrets = before.webhookSecrets.filter((other) => !isSameSecret(other.secret, secret))
      return { ...file, profiles: { ...file.profiles, [profile]: { ...before, webhookSecrets } } }
    })
    this.session.notices.notice(`Secret ${what} removed from profile ${profile}.`)
  }
}
