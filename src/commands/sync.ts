import { BaseCommand } from '../cli/command/base-command.js'
import { sync, syncFlags } from '../cli/sync/sync.js'
import type { SyncShown } from '../render/progress-lines.js'

export default class Sync extends BaseCommand {
  static override readsSeveral = true
  static override flagsOfOne = ['forget']
  static override summary = "Copy the account's deliveries and events into a database file on this machine."
  static override description =
    "The service forgets events after 30 days; the archive keeps them, for dlv query, reports, searches and the board. Each run fetches what is new; one that ends early continues where it stopped. Names, phone numbers, addresses and the events' own JSON are in a second file beside it, which --no-personal removes and never writes again. --backfill fetches the deliveries from before the events, one request each. --forget and --older remove personal data, also from later runs; the figures stay. --to copies what changed into a PostgreSQL database that a team shares, for dlv query --to and every other program."
  static override examples = [
    '<%= config.bin %> sync',
    '<%= config.bin %> sync --follow',
    '<%= config.bin %> sync --backfill 2026-01-01',
    '<%= config.bin %> sync --forget del_01ABC',
    '<%= config.bin %> sync --to postgres://dlv@db.example.com/dlv',
  ]
  static override flags = syncFlags

  async run(): Promise<SyncShown> {
    const { flags } = await this.parse(Sync)
    return sync(this.session, flags)
  }
}
