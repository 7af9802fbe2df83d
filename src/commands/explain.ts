import { Args } from '@oclif/core'
import { BaseCommand } from '../cli/command/base-command.js'
import { type Explanation, explain, explanations } from '../cli/explanations/index.js'
import { didYouMean, suggestions } from '../cli/process/suggestions.js'
import { UsageError } from '../contract/index.js'
import { explanationsView, explanationView } from '../render/explanation-view.js'

export default class Explain extends BaseCommand {
  static override summary = 'Explain a status, reason, error, event type, HTTP status or exit code.'
  static override description =
    'Works offline. Also explains the access levels, FPCON levels, delivery points and proof types of installations, and the states of a webhook. Case, dashes and underscores do not matter.'
  static override examples = [
    '<%= config.bin %> explain denied_at_gate',
    '<%= config.bin %> explain QUOTE_EXPIRED',
    '<%= config.bin %> explain 404',
    '<%= config.bin %> explain charlie',
    '<%= config.bin %> explain',
  ]
  static override args = {
    code: Args.string({ description: 'Code to explain (default: list all)', ignoreStdin: true }),
  }

  async run(): Promise<Explanation | readonly Explanation[]> {
    const { args } = await this.parse(Explain)
    if (args.code === undefined) {
      await this.show(explanationsView, explanations)
      return explanations
    }
    const found = explain(args.code)
    const [first, ...more] = found
    if (first === undefined) {
      const near = suggestions(args.code, [...new Set(explanations.map(({ code }) => code))])
      throw new UsageError(`Unknown code "${args.code.slice(0, 80)}".`, {
        hint: didYouMean(near) ?? 'dlv explain lists all codes.',
      })
    }
    if (more.length === 0) await this.show(explanationView, first)
    else await this.show({ ...explanationsView, card: explanationsView.cards }, found)
    return more.length === 0 ? first : found
  }
}
