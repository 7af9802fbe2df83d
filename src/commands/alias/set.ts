import { Args, Flags } from '@oclif/core'
import { BaseCommand } from '../../cli/command/base-command.js'
import { checkAliasName, checkExpansion, readAliases, writeAliases } from '../../cli/user-commands/aliases.js'

export default class SetAlias extends BaseCommand {
  static override summary = 'Set an alias for a command.'
  static override description =
    'In the expansion, $1 to $9 stand for the words that follow the alias; other words are added at the end. An alias can never take the name of a command. With --shell the expansion is a line for sh, in which "$1" and "$@" are the words that follow.'
  static override examples = [
    "<%= config.bin %> alias set late 'deliveries list --problem'",
    "<%= config.bin %> alias set done 'simulate $1 --to delivered'",
    '<%= config.bin %> alias set --shell ids \'dlv deliveries list -q | head -n "$1"\'',
  ]
  static override args = {
    name: Args.string({ description: 'Name of the alias', required: true, ignoreStdin: true }),
    expansion: Args.string({ description: 'What it stands for, as one word', required: true, ignoreStdin: true }),
  }
  static override flags = {
    shell: Flags.boolean({ summary: 'Run the expansion with sh' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(SetAlias)
    const { name } = args
    const expansion = flags.shell && !args.expansion.startsWith('!') ? `!${args.expansion}` : args.expansion
    const aliases = readAliases(this.config.configDir)
    checkAliasName(name, this.config)
    checkExpansion(name, expansion, aliases, this.config)
    const before = aliases.get(name)
    writeAliases(this.config.configDir, aliases.set(name, expansion))
    this.session.notices.notice(
      before === undefined || before === expansion
        ? `dlv ${name} stands for: ${shownExpansion(expansion)}`
        : `dlv ${name} stands for: ${shownExpansion(expansion)} (was: ${shownExpansion(before)})`,
    )
  }
}

function shownExpansion(expansion: string): string {
  return expansion.startsWith('!') ? expansion : `dlv ${expansion}`
}
