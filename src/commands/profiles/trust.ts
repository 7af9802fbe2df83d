import { Flags } from '@oclif/core'
import { BaseCommand } from '../../cli/command/base-command.js'
import { confirm } from '../../cli/input/prompt.js'
import { UsageError } from '../../contract/index.js'
import { findProjectFile, type ProjectSettings, parseProjectFile, trustProject } from '../../profiles/index.js'
import { isLoopback, shownUrl } from '../../shared/web-address.js'

export default class TrustProject extends BaseCommand {
  static override summary = 'Trust the .dlv.json of this directory.'
  static override description =
    'A .dlv.json chooses a profile or an output format and forwards webhooks only after you have trusted it, and again after each change. It names what the file does and asks; --yes answers for a CI job. A file that belongs to another user, or that anyone may write, is never read.'
  static override examples = ['<%= config.bin %> profiles trust', '<%= config.bin %> profiles trust --yes']
  static override flags = { yes: Flags.boolean({ char: 'y', summary: 'Skip the confirmation prompt' }) }

  async run(): Promise<void> {
    const { flags } = await this.parse(TrustProject)
    const found = findProjectFile(this.session.context.cwd, (warning) => this.session.notices.warn(warning))
    if (found === undefined) throw new UsageError(`No .dlv.json in ${this.session.context.cwd} or above.`)
    const project = parseProjectFile(found)
    for (const effect of effectsOf(project)) this.session.notices.print(effect)
    const text = `Trust ${project.file}?`
    if (!flags.yes && !(await confirm(this.session.context, { text, flag: '--yes', noInput: flags['no-input'] })))
      return
    trustProject(this.config.configDir, project)
    this.session.notices.notice(`${project.file} is trusted until it changes.`)
  }
}

/** The effects of a project file, one line each; a route to another machine is marked. */
function effectsOf({ profile, output, routes = {} }: ProjectSettings): string[] {
  return [
    ...(profile === undefined ? [] : [`Chooses the profile ${profile}.`]),
    ...(output === undefined ? [] : [`Chooses the output format ${output}.`]),
    ...Object.entries(routes).map(([type, url]) => {
      const isElsewhere = !URL.canParse(url) || !isLoopback(new URL(url).hostname)
      return `Forwards ${type === '*' ? 'every event' : type} to ${shownUrl(url)}${isElsewhere ? ', another machine' : ''}.`
    }),
  ]
}
