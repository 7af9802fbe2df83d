import { Args } from '@oclif/core'
import { ApiCommand } from '../cli/command/api-command.js'
import { type Candidate, candidatesFor } from '../cli/completion/candidates.js'
import { DlvError } from '../contract/index.js'
import { readProfiles } from '../profiles/index.js'
import { dayMs } from '../shared/durations.js'

const patienceMs = 1_500

export default class Complete extends ApiCommand {
  static override summary = 'What may come next on a line; for the scripts of dlv completion.'
  static override hidden = true
  static override strict = false
  static override args = { words: Args.string({ description: 'The line so far', ignoreStdin: true, multiple: true }) }

  async run(): Promise<Candidate[]> {
    const { argv } = await this.parse(Complete)
    const candidates = await candidatesFor(argv as string[], this.config.commands, this.config.topics, {
      profiles: async () => ['local', ...Object.keys(readProfiles(this.config.configDir).profiles)],
      recentIds: () => this.recentIds(),
    })
    for (const { word, text } of candidates) await this.output.text(text === undefined ? word : `${word}\t${text}`)
    return candidates
  }

  /** Deliveries of the last day; none where the service does not answer at once: a key press must not wait. */
  private async recentIds(): Promise<string[]> {
    try {
      const client = await this.api({ timeoutMs: patienceMs, retries: { maxRetries: 0 } })
      const from = new Date(this.nowMs() - dayMs).toISOString()
      const { deliveries } = await client.listDeliveries({ query: { from, limit: 30 } })
      return deliveries.map(({ deliveryId }) => deliveryId)
    } catch (error) {
      if (error instanceof DlvError) return []
      throw error
    }
  }
}
