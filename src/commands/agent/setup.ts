import { isUtf8 } from 'node:buffer'
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { Flags } from '@oclif/core'
import {
  agentGuide,
  type DescribedCommand,
  type SectionChange,
  sectionHead,
  skillHead,
  wholeFile,
  withSection,
} from '../../cli/agent/guide.js'
import { BaseCommand } from '../../cli/command/base-command.js'
import { pathOf, unreadable } from '../../cli/input/read.js'
import { UsageError } from '../../contract/index.js'
import { answerView } from '../../render/cards.js'
import { replaceFile } from '../../shared/directory.js'

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
      await this.session.output.text(change(undefined).text.trimEnd())
      return undefined
    }
    const file = isSkill ? join(dir, '.claude', 'skills', 'dlv', 'SKILL.md') : join(dir, 'AGENTS.md')
    refuseLinks(dir, file)
    const bytes = existsSync(file) ? readFileSync(file) : undefined
    if (bytes !== undefined && !isUtf8(bytes))
      throw new UsageError(`${file} is not UTF-8 text, and is left as it is.`, {
        hint: 'Convert it to UTF-8, or move it away.',
      })
    const before = bytes?.toString()
    const { text, overwrites } = change(before)
    const name = relative(this.session.context.cwd, file) || file
    if (overwrites && text !== before) {
      const question = `${name} has text that dlv did not write, which would be lost. Replace it?`
      if (!flags.yes && !(await this.session.confirmed(question, { undone: 'Nothing was written.' }))) return undefined
    }
    if (text !== before) {
      mkdirSync(dirname(file), { recursive: true })
      replaceFile(file, text)
    }
    const written: Written = {
      file,
      change: before === undefined ? 'created' : text === before ? 'unchanged' : 'updated',
    }
    await this.session.show(answerView, written)
    return written
  }

  /** A directory that does not exist is more likely misspelt than new. */
  private directory(name = '.'): string {
    const dir = pathOf(this.session.context, name)
    try {
      readdirSync(dir)
      return dir
    } catch (cause) {
      throw unreadable(this.session.context, name, '--dir', cause)
    }
  }
}

/** A link below the project leads to a file that is not the project's. */
function refuseLinks(dir: string, file: string): void {
  for (let path = file; path !== dir && path !== dirname(path); path = dirname(path))
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true)
      throw new UsageError(`${path} is a symbolic link; files are not written through one.`, {
        hint: 'Nothing was written. Print the text with --print, or name the directory of the file with --dir.',
      })
}
