import { join } from 'node:path'
import type { Ground } from '../ground.ts'
import { type Command, inTurn, median, pairedRatio, timeCommand } from '../measure.ts'
import { type Outcome, type Result, round } from '../result.ts'

/** Whole processes, from start to exit: the empty program, the version, one GET on loopback, and the peers' GET. */
export async function measureStartUp(ground: Ground): Promise<Outcome> {
  const { child, ready } = await ground.start('api-server.ts')
  const baseUrl = String(ready.baseUrl)
  const account = { DLV_BASE_URL: baseUrl, DLV_API_KEY: 'dlvk_bench', DLV_NO_INPUT: '1' }
  const get = ['deliveries', 'get', 'del_bench', '--json']
  const commands: Record<string, Command> = {
    empty: { file: process.execPath, arguments: ['-e', '0'] },
    floor: {
      file: process.execPath,
      arguments: [join(ground.project, 'bench/processes/http-get.mjs'), `${baseUrl}/deliveries/del_bench`],
    },
    version: ground.dlv(['--version']),
    help: ground.dlv(['--help']),
    get: ground.dlv(get, account),
  }
  const stripe: Command | undefined =
    ground.stripe === undefined
      ? undefined
      : {
          file: ground.stripe,
          arguments: [
            'get',
            '/v1/customers/cus_bench',
            '--api-base',
            `http://127.0.0.1:${ready.port}`,
            '--api-key',
            'sk_test_bench0000000000000000',
          ],
          env: { HOME: ground.folder, STRIPE_CLI_TELEMETRY_OPTOUT: '1' },
        }
  if (stripe !== undefined) commands.stripe = stripe
  if (ground.standalone !== undefined) {
    commands.standalone = { file: ground.standalone, arguments: get, env: { ...account, HOME: ground.folder } }
  }
  const names = Object.keys(commands)
  const runs = Object.values(commands).map((command) => async () => (await timeCommand(command)).wallMs)
  const figures = await inTurn(ground.quick ? 7 : 25, runs)
  await ground.stop(child)

  const of = (name: string) => figures[names.indexOf(name)] ?? []
  const compare = (id: string, aim: string, ours: string, theirs: string, limit: number): Result => {
    const paired = pairedRatio(of(ours), of(theirs))
    const { ratio } = paired
    return {
      id,
      aim,
      bar: `≤ ${limit} ×`,
      measured: `${round(ratio)} × (${round(median(of(ours)), 0)} ms vs. ${round(median(of(theirs)), 0)} ms)`,
      values: { ...paired, oursMs: median(of(ours)), theirsMs: median(of(theirs)) },
      faster: 'smaller',
      met: ratio <= limit,
    }
  }
  return {
    results: [
      ...(stripe === undefined
        ? []
        : [compare('get-stripe', '`deliveries get` vs. the Stripe CLI’s `get`', 'get', 'stripe', 0.65)]),
      compare('get-floor', '`deliveries get` vs. a bare `node:http` GET', 'get', 'floor', 1.2),
      compare('version', '`--version` vs. `node -e 0`', 'version', 'empty', 1.3),
      compare('help', '`--help` vs. `node -e 0`', 'help', 'empty', 1.6),
      ...(ground.standalone === undefined
        ? []
        : [compare('standalone-npm', 'the standalone program’s `get` vs. the npm package’s', 'standalone', 'get', 1)]),
      ...(ground.standalone === undefined || stripe === undefined
        ? []
        : [compare('standalone', 'the standalone program’s `get` vs. the Stripe CLI’s', 'standalone', 'stripe', 0.65)]),
    ],
  }
}
