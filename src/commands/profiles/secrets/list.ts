import { Args } from '@oclif/core'
import { BaseCommand } from '../../../cli/command/base-command.js'
import { journalFlag } from '../../../cli/journal/place.js'
import { searchedWebhooks, secretUses } from '../../../cli/profiles/secret-uses.js'
import { editableProfile, profilesOf } from '../../../cli/profiles/stored-secrets.js'
import type { NamedSecret } from '../../../profiles/index.js'
import { type SecretRow, secretList } from '../../../render/profile-view.js'
import { fingerprintOf } from '../../../webhooks/internal.js'

export default class ListSecrets extends BaseCommand {
  static override summary = 'List the webhook secrets of a profile.'
  static override description =
    `Shows a fingerprint of each secret, when it was added, and when it last verified one of the newest ${searchedWebhooks.toLocaleString('en-US')} webhooks of the journal. Events that listen --pull fetched do not count, because they are signed here.`
  static override examples = [
    '<%= config.bin %> profiles secrets list acme',
    '<%= config.bin %> profiles secrets list acme --journal postgres://dlv@db.example.com/dlv',
  ]
  static override args = {
    profile: Args.string({ description: 'Name of the profile', required: true, ignoreStdin: true }),
  }
  static override flags = journalFlag

  async run(): Promise<SecretRow[]> {
    const { args, flags } = await this.parse(ListSecrets)
    const profile = editableProfile(profilesOf(this.session), args.profile)
    const uses = await secretUses(this.session, profile, flags.journal)
    const rows = profile.webhookSecrets.map(({ name, secret, addedAt }: NamedSecret) => {
      const usedMs = uses.get(name)
      return {
        name,
        fingerprint: fingerprintOf(secret),
        addedAt: addedAt ?? null,
        lastUsedAt: usedMs === undefined ? null : new Date(usedMs).toISOString(),
      }
    })
    await this.session.show(secretList, rows)
    return rows
  }
}
