import { Args } from '@oclif/core'
import { BaseCommand } from '../../../cli/command/base-command.js'
import { journalFileOf, journalFlag, journalPlace, missingJournal } from '../../../cli/journal/place.js'
import { editableProfile, profilesOf } from '../../../cli/profiles/stored-secrets.js'
import { DlvError } from '../../../contract/index.js'
import { accountKeptWith, type NamedSecret } from '../../../profiles/index.js'
import { type SecretRow, secretList } from '../../../render/profile-view.js'
import { fingerprintOf } from '../../../webhooks/internal.js'

/** The newest received webhooks in which the last use of a secret is looked for. */
const searched = 10_000

export default class ListSecrets extends BaseCommand {
  static override summary = 'List the webhook secrets of a profile.'
  static override description =
    'Shows a fingerprint of each secret, when it was added, and when it last verified one of the newest 10,000 webhooks of the journal.'
  static override examples = ['<%= config.bin %> profiles secrets list acme']
  static override args = {
    profile: Args.string({ description: 'Name of the profile', required: true, ignoreStdin: true }),
  }
  static override flags = journalFlag

  async run(): Promise<SecretRow[]> {
    const { args, flags } = await this.parse(ListSecrets)
    const stored = editableProfile(profilesOf(this.session), args.profile)
    const { webhookSecrets } = stored
    const account = accountKeptWith(this.config.dataDir, stored)
    const dataName = account?.dataName
    const place =
      journalPlace(this.session.context, flags.journal) ??
      (dataName === undefined ? undefined : journalFileOf(this.config.dataDir, dataName))
    const uses =
      place === undefined ? new Map<string, number>() : await this.lastUses(place, flags.journal, account?.mark)
    const rows = webhookSecrets.map(({ name, secret, addedAt }: NamedSecret) => {
      const usedMs = uses.get(name)
      const isOwnUse = usedMs !== undefined && (addedAt === undefined || usedMs >= Date.parse(addedAt))
      return {
        name,
        fingerprint: fingerprintOf(secret),
        addedAt: addedAt ?? null,
        lastUsedAt: isOwnUse ? new Date(usedMs).toISOString() : null,
      }
    })
    await this.session.show(secretList, rows)
    return rows
  }

  /** When each secret of an account last verified a webhook, by its name; nothing if the journal cannot be read. */
  private async lastUses(
    place: string,
    flag: string | undefined,
    mark: string | undefined,
  ): Promise<ReadonlyMap<string, number>> {
    const uses = new Map<string, number>()
    if (missingJournal(this.session.context, place, flag) !== undefined) {
      this.session.notices.warn(
        `The last use is unknown: there is no journal ${place}. If the listener keeps another, name it with --journal or DLV_JOURNAL.`,
      )
      return uses
    }
    const { readJournal } = await import('../../../listener/index.js')
    try {
      const journal = await readJournal(place, this.session.context.env)
      this.session.onClose(() => journal.close())
      // Accounts that share a journal may have secrets of one name.
      for await (const { secret, receivedAtMs, account } of journal.list({ limit: searched }))
        if (account === mark || account === '' || mark === undefined)
          uses.set(secret, Math.max(receivedAtMs, uses.get(secret) ?? 0))
    } catch (error) {
      if (!(error instanceof DlvError)) throw error
      this.session.notices.warn(`The last use is unknown: ${error.message}`)
    }
    return uses
  }
}
