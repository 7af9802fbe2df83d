import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { Flags } from '@oclif/core'
import { agentGuide, type DescribedCommand, sectionHead, skillHead } from '../../cli/agent/guide.js'
import { type SectionChange, wholeFile, withSection } from '../../cli/agent/marked-section.js'
import { BaseCommand } from '../../cli/command/base-command.js'
import { pathOf, unreadable } from '../../cli/input/named-file.js'
import { answerView } from '../../render/answer-view.js'

interface Written {
  file: string
  change: 'created' | 'updated' | 'unchanged'
}

export default class SetupAgent extends BaseCommand {
  static override summary = 'Teach coding agents to use dlv: write SKILL.md or AGENTS.md.'
  static override description =
    'Made from the descriptions of the commands. In a directory with .claude, writes .claude/skills/dlv/SKILL.md, otherwise a marked section of AGENTS.md. Text around the section stays, and a section that somebody has edited is replaced only after a question. Run it again after an update.'
  static override examples = [
    '<%= config.bin %> agent setup',
    '<%= config.bin %> agent setup --skill --dir ~/project',
    '<%= config.bin %> agent setup --print',
  ]
  static override flags = {
    skill: Flags.boolean({ summary: 'Write .claude/skills/dlv/SKILL.md', exclusive: ['agents-md'] }),
    'agents-md': Flags.boolean({ summary: 'Write a section of AGENTS.md' }),
    dir: Flags.string({ summary: 'Directory of the project (default: this one)', helpValue: 'DIR' }),
    print: Flags.boolean({ summary: 'Print the text and write nothing' }),
    yes: Flags.boolean({ char: 'y', summary: 'Replace what somebody has edited' }),
  }

  async run(): Promise<Written | undefined> {
    const { flags } = await this.parse(SetupAgent)
    const dir = this.directory(flags.dir)
    const isSkill = flags.skill || (!flags['agents-md'] && existsSync(join(dir, '.claude')))
    const guide = agentGuide(this.config.commands as readonly DescribedCommand[])
    const change = (before: string | undefined): SectionChange =>
      isSkill ? wholeFile(before, skillHead, guide) : withSection(before, `${sectionHead}\n\n${guide}`)
    if (flags.print) {
      await this.output.text(change(undefined).text.trimEnd())
      return undefined
    }
    const file = isSkill ? join(dir, '.claude', 'skills', 'dlv', 'SKILL.md') : join(dir, 'AGENTS.md')
    const before = existsSync(file) ? readFileSync(file, 'utf8') : undefined
    const { text, overwrites } = change(before)
    const name = relative(this.context.cwd, file) || file
    if (overwrites && text !== before) {
      const question = `${name} has text that dlv did not write, which would be lost. Replace it?`
      if (!flags.yes && !(await this.confirmed(question, { undone: 'Nothing was written.' }))) return undefined
    }
    if (text !== before) {
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text)
    }
    const written: Written = {
      file,
      change: before === undefined ? 'created' : text === before ? 'unchanged' : 'updated',
    }
    await this.show(answerView, written)
    return written
  }

  /** A directory that does not exist is more likely misspelt than new. */
  private directory(name = '.'): string {
    const dir = pathOf(this.context, name)
    try {
      readdirSync(dir)
      return dir
    } catch (cause) {
      throw unreadable(this.context, name, '--dir', cause)
    }
  }
}
