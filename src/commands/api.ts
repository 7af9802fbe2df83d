import { Args, Flags } from '@oclif/core'
import { apiAnswer, apiRequest, paginated, similarPaths } from '../cli/api/raw-request.js'
import { BaseCommand } from '../cli/command/base-command.js'
import {
  refuseForceHeaderOnProduction,
  refuseOnProduction,
  refuseTestValuesOnProduction,
} from '../cli/command/production-guard.js'
import { repeatable, yesFlag } from '../cli/command/write-flags.js'
import { readInputBytes } from '../cli/input/read.js'
import { didYouMean } from '../shared/word-match.js'

export default class Api extends BaseCommand {
  static override summary = 'Send any request to the service.'
  static override description =
    'Uses the key, retries and rate limit of the profile. Prints the response body unchanged. An error response is printed too and sets the exit code.'
  static override examples = [
    '<%= config.bin %> api GET /capabilities',
    '<%= config.bin %> api GET "/events?since=2026-03-02T00:00:00Z" --paginate',
    '<%= config.bin %> api POST /deliveries --input order.json -H "Idempotency-Key: order-1001"',
  ]
  static override args = {
    method: Args.string({ description: 'GET, POST or PATCH', required: true, ignoreStdin: true }),
    path: Args.string({
      description: 'Path below the base URL, such as /deliveries',
      required: true,
      ignoreStdin: true,
    }),
  }
  static override flags = {
    input: Flags.string({ summary: 'Body: a file, or - for standard input', helpValue: 'FILE' }),
    header: Flags.string({
      char: 'H',
      summary: "'name: value'; repeatable",
      helpValue: 'HEADER',
      ...repeatable,
    }),
    paginate: Flags.boolean({ summary: 'Follow nextCursor and print every page' }),
    include: Flags.boolean({ char: 'i', summary: 'Print the response status and headers first' }),
    ...yesFlag,
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Api)
    const body =
      flags.input === undefined ? undefined : await readInputBytes(this.session.context, flags.input, '--input')
    const request = apiRequest(args.method, args.path, flags.header ?? [], body)
    const settings = await this.session.account.settings()
    if (request.isSimulation) refuseOnProduction(settings, 'simulate')
    refuseTestValuesOnProduction(settings, request.bodyValue, request.path)
    refuseForceHeaderOnProduction(settings, request.headers ?? {})
    if (
      request.isWrite &&
      !(await this.session.account.confirmOnProduction(`Send ${request.method} ${request.path}`, flags.yes))
    )
      return
    const client = await this.session.client()
    if (flags.paginate) {
      for await (const answer of paginated(client, request))
        this.session.endWith(await apiAnswer(answer, this.session.output, flags.include))
      return
    }
    const answer = await client.raw(request)
    this.session.endWith(await apiAnswer(answer, this.session.output, flags.include))
    const near = answer.status === 404 ? didYouMean(similarPaths(request.path)) : undefined
    if (near !== undefined) this.session.notices.notice(near)
  }
}
