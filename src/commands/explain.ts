import { Args } from '@oclif/core'
import { BaseCommand } from '../cli/command/base-command.js'
import { explainDelivery, isOfSandbox, usableCommands } from '../cli/errors/next-command.js'
import { type Explanation, explain, explanations } from '../cli/explanations/index.js'
import type { Client } from '../client/index.js'
import { type Delivery, UsageError } from '../contract/index.js'
import { explanationsView, explanationView } from '../render/explanation-view.js'
import { onAccount } from '../shared/command-words.js'
import { didYouMean, suggestions } from '../shared/word-match.js'

/** Whether a word may name a delivery: one without a digit that is no id is a misspelt code. */
function isDeliveryName(word: string): boolean {
  return /\d|^(?:del_|id:|ref:)/.test(word) && !/^\d{1,3}$/.test(word)
}

export default class Explain extends BaseCommand {
  static override looksUp = 'profile' as const
  static override namesIn = (args: Readonly<Record<string, unknown>>) => [String(args.code ?? '')]

  static override summary = 'Explain a status, reason, error, event type, HTTP status, exit code or delivery.'
  static override description =
    'Codes are explained offline; a delivery, named by its id or reference, is explained by its current status and reason. Also explains what late and stuck mean, the access levels, FPCON levels, delivery points and proof types of installations, and the states of a webhook. Case, dashes and underscores do not matter.'
  static override examples = [
    '<%= config.bin %> explain denied_at_gate',
    '<%= config.bin %> explain QUOTE_EXPIRED',
    '<%= config.bin %> explain 404',
    '<%= config.bin %> explain charlie',
    '<%= config.bin %> explain ORDER-1001',
    '<%= config.bin %> explain',
  ]
  static override args = {
    code: Args.string({ description: 'Code or delivery to explain (default: list all codes)', ignoreStdin: true }),
  }

  /** Codes are no account's. */
  protected override worksOnSeveral(): boolean {
    const code = this.argv.find(
      (word, at) =>
        !word.startsWith('-') && !/^(?:-P|--profile|-o|--output|--jq|--columns)$/.test(this.argv[at - 1] ?? ''),
    )
    return code === undefined || !isDeliveryName(code) || explain(code).length > 0
  }

  async run(): Promise<Explanation | readonly Explanation[]> {
    const { args } = await this.parse(Explain)
    if (args.code === undefined) {
      await this.session.show(explanationsView, explanations)
      return explanations
    }
    const known = explain(args.code)
    const found = known.length > 0 ? known : await this.ofDelivery(args.code)
    const isProduction = found.some(({ next }) => next.some(isOfSandbox)) && this.isProduction()
    const [first, ...more] = found.map((one) => ({
      ...one,
      next: usableCommands(one.next, isProduction).map((command) =>
        onAccount(command, this.session.context.accountFlags ?? ''),
      ),
    }))
    if (first === undefined) {
      const near = suggestions(args.code, [...new Set(explanations.map(({ code }) => code))])
      throw new UsageError(`Unknown code "${args.code.slice(0, 80)}".`, {
        hint: /^\d+$/.test(args.code)
          ? `For the order of this number: dlv explain ref:${args.code}. dlv explain lists all codes.`
          : (didYouMean(near) ?? 'dlv explain lists all codes.'),
      })
    }
    if (more.length === 0) await this.session.show(explanationView, first)
    else await this.session.show({ ...explanationsView, card: explanationsView.cards }, [first, ...more])
    return more.length === 0 ? first : [first, ...more]
  }

  /**
   * The meaning of a delivery's status and reason; nothing for a word without a digit that is no id, which is a misspelt
   * code.
   */
  private async ofDelivery(name: string): Promise<Explanation[]> {
    if (!isDeliveryName(name)) return []
    const client = await this.session.client()
    const { deliveryId } = await this.session.named(name, client)
    const delivery = await client.getDelivery({ deliveryId })
    const problem = await this.problemOf(client, delivery)
    return explainDelivery(delivery).map((found, at) => ({
      ...found,
      ...(at === 0 && problem !== undefined ? { meaning: `${found.meaning} This delivery: ${problem}.` } : {}),
    }))
  }

  /** The problem of a delivery, in words. */
  private async problemOf(client: Client, delivery: Delivery): Promise<string | undefined> {
    const [{ problemWords }, { judgingOf }] = await Promise.all([
      import('../cli/deliveries/whole-delivery.js'),
      import('../cli/deliveries/problem-rules.js'),
    ])
    const style = await this.session.output.serviceStyleNow({ always: true })
    return problemWords(
      client,
      delivery,
      style,
      await judgingOf({}, this.session.context, await this.session.account.knownOrders()),
    )
  }

  /** Codes are explained without an account too, and whatever its settings are. */
  private isProduction(): boolean {
    try {
      return this.session.account.choice.settings.environment === 'production'
    } catch (error) {
      if (error instanceof UsageError) return false
      throw error
    }
  }
}
