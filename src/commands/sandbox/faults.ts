import { Flags } from '@oclif/core'
import { BaseCommand } from '../../cli/command/base-command.js'
import { repeatable } from '../../cli/command/write-flags.js'
import { readJson } from '../../cli/input/read.js'
import { parseCountOrOff, parseDurationMs } from '../../cli/input/times.js'
import { controlOf } from '../../cli/sandbox/control.js'
import { UsageError } from '../../contract/index.js'
import type { FaultRule } from '../../contract/internal.js'
import { type SandboxFaults as Faults, faultsView } from '../../render/sandbox-view.js'

export default class SandboxFaults extends BaseCommand {
  static override summary = 'Show or set faults: outage, driver capacity, slow or failing requests and webhooks.'
  static override examples = [
    '<%= config.bin %> sandbox faults',
    '<%= config.bin %> sandbox faults --outage',
    '<%= config.bin %> sandbox faults --force "SERVICE_UNAVAILABLE; retry_after=2" --operation createDelivery --probability 0.3',
    '<%= config.bin %> sandbox faults --hooks badsig --probability 0.1 --seed 7',
    '<%= config.bin %> sandbox faults --capacity 0',
    '<%= config.bin %> sandbox faults --clear',
  ]
  static override flags = {
    outage: Flags.boolean({ summary: 'Respond 503 everywhere; --no-outage ends it', allowNo: true }),
    capacity: Flags.string({ summary: 'Driver capacity, or off for unlimited', helpValue: 'N|off' }),
    force: Flags.string({
      summary: 'Fault: an error code, HANG, RESET, TRUNCATE, …',
      helpValue: 'TOKEN',
    }),
    latency: Flags.string({ summary: 'Delay added to responses', helpValue: 'DURATION' }),
    hooks: Flags.string({
      summary: 'Webhook faults: duplicate, shuffle, badsig, …',
      helpValue: 'FAULT,…',
    }),
    operation: Flags.string({ summary: 'Only this operation (default: all)', helpValue: 'NAME' }),
    'event-type': Flags.string({
      summary: 'Only this event type, with --hooks; repeatable',
      helpValue: 'TYPE',
      ...repeatable,
    }),
    probability: Flags.string({ summary: 'Probability from 0 to 1', helpValue: 'P' }),
    times: Flags.integer({ summary: 'Number of times that the rule applies', min: 1 }),
    seed: Flags.integer({ summary: 'Seed for repeatable random draws', min: 0 }),
    file: Flags.string({ char: 'f', summary: 'JSON file with rules; - for standard input', helpValue: 'FILE' }),
    clear: Flags.boolean({ summary: 'Remove all rules, the outage and the capacity' }),
  }

  async run(): Promise<unknown> {
    const { flags } = await this.parse(SandboxFaults)
    const capacity = flags.capacity === undefined ? undefined : parseCountOrOff(flags.capacity, '--capacity', 0)
    const control = await controlOf(this.session)
    if (flags.clear) {
      await control('POST', '/outage', { on: false })
      await control('POST', '/capacity', { available: null })
      await control('POST', '/faults', { rules: [] })
    }
    if (flags.outage !== undefined) await control('POST', '/outage', { on: flags.outage })
    if (capacity !== undefined) await control('POST', '/capacity', { available: capacity === 'off' ? null : capacity })
    if (flags.file !== undefined)
      await control('POST', '/faults', await readJson(this.session.context, flags.file, '--file'))
    const isRule = [flags.force, flags.latency, flags.hooks].some((flag) => flag !== undefined)
    const isLimit = [flags.operation, flags.probability, flags.times, flags['event-type']].some(
      (flag) => flag !== undefined,
    )
    if (isLimit && !isRule) throw new UsageError('Expected --force, --latency or --hooks.')
    if (isRule || flags.seed !== undefined) {
      const { rules, seed } = (await control('GET', '/faults')) as { rules: unknown[]; seed?: number }
      const rule: FaultRule = {
        operation: flags.operation,
        force: flags.force,
        latencyMs: flags.latency === undefined ? undefined : parseDurationMs(flags.latency, '--latency'),
        hooks: flags.hooks,
        eventTypes: flags['event-type'],
        probability: flags.probability === undefined ? undefined : Number(flags.probability),
        times: flags.times,
      }
      await control('POST', '/faults', { seed: flags.seed ?? seed, rules: isRule ? [...rules, rule] : rules })
    }
    const [outage, limit, faults] = await Promise.all([
      control('GET', '/outage'),
      control('GET', '/capacity'),
      control('GET', '/faults'),
    ])
    const answer = {
      outage: (outage as { on: boolean }).on,
      capacity: (limit as { available: number | null }).available,
      ...(faults as Pick<Faults, 'seed' | 'rules'>),
    }
    await this.session.show(faultsView, answer)
    return answer
  }
}
