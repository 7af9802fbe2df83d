import { Args } from '@oclif/core'
import { BaseCommand } from '../cli/command/base-command.js'
import { AccountWords } from '../cli/completion/account-words.js'
import { type Candidate, type CompletedCommand, completionFor } from '../cli/completion/candidates.js'
import { filesWord } from '../cli/completion/scripts.js'
import { readAliases } from '../cli/user-commands/aliases.js'
import { DlvError } from '../contract/index.js'
import { readProfiles } from '../profiles/index.js'
import { plainText } from '../render/plain-text.js'

export default class Complete extends BaseCommand {
  static override summary = 'Print what may come next on a line, for the completion scripts.'
  static override hidden = true
  static override strict = false
  static override args = { words: Args.string({ description: 'The line so far', ignoreStdin: true, multiple: true }) }

  async run(): Promise<Candidate[]> {
    const { argv } = await this.parse(Complete)
    const words = argv as string[]
    // Nothing but the candidates is read.
    this.session.account.saysEmbedded = false
    this.session.flags = { ...this.session.flags, profile: profileIn(words) ?? this.session.flags.profile }
    const program = { commands: [...this.config.commands, ...this.aliases()], topics: this.config.topics }
    const own = new AccountWords(this.session)
    const { candidates, takesFile } = await completionFor(words, program, {
      profiles: async () => ['local', ...Object.keys(readProfiles(this.config.configDir).profiles)],
      recentDeliveries: own.recentDeliveries,
      stores: own.stores,
      snapshots: own.snapshots,
      installations: own.installations,
    })
    for (const { word, text } of candidates)
      await this.session.output.text(text === undefined ? word : `${word}\t${plainText(text)}`)
    if (takesFile) await this.session.output.text(filesWord)
    return candidates
  }

  /** The user's aliases, which stand where a command may; none if their file cannot be read. */
  private aliases(): CompletedCommand[] {
    try {
      return Array.from(readAliases(this.config.configDir), ([name, expansion]) => ({
        id: name,
        summary: expansion,
        flags: {},
        args: {},
      }))
    } catch (error) {
      if (error instanceof DlvError) return []
      throw error
    }
  }
}

/** The profile that the line being completed names. */
function profileIn(words: readonly string[]): string | undefined {
  const at = words.findIndex((word) => word === '-P' || word === '--profile')
  if (at !== -1 && at < words.length - 1) return words[at + 1]
  return words.find((word) => word.startsWith('--profile='))?.slice('--profile='.length)
}
