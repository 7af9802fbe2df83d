import { Args } from '@oclif/core'
import { BaseCommand } from '../cli/command/base-command.js'
import { completionScript, shells } from '../cli/completion/scripts.js'
import { unknownWordError } from '../cli/input/known-word.js'

export default class Completion extends BaseCommand {
  static override summary = 'Print a shell completion script.'
  static override description =
    'The examples load it into the current shell. To load it into every new shell, add the same line to ~/.bashrc, ~/.zshrc (after compinit), ~/.config/fish/config.fish or $PROFILE.'
  static override examples = [
    'source <(<%= config.bin %> completion bash)',
    'source <(<%= config.bin %> completion zsh)',
    '<%= config.bin %> completion fish | source',
    '<%= config.bin %> completion powershell | Out-String | Invoke-Expression',
  ]
  static override args = { shell: Args.string({ description: shells.join(', '), required: true, ignoreStdin: true }) }

  async run(): Promise<void> {
    const { args } = await this.parse(Completion)
    const shell = shells.find((known) => known === args.shell)
    if (shell === undefined) throw unknownWordError(args.shell, shells, { flag: 'SHELL', noun: 'a supported shell' })
    await this.session.output.text(completionScript(shell).trimEnd())
  }
}
