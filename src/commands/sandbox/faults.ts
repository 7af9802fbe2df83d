import { Flags } from '@oclif/core'
import { parseDurationMs } from '../../cli/durations.js'
import { readJson } from '../../cli/input-text.js'
import { answerView, SandboxCommand } from '../../cli/sandbox-command.js'

export default class SandboxFaults extends SandboxCommand {
  static override summary = 'Show or set what goes wrong: outage, no drivers, slow or failing requests.'
  static override examples = [
    '<%= config.bin %> sandbox faults',
    '<%= config.bin %> sandbox faults --outage',
    '<%= config.bin %> sandbox faults --force "SERVICE_UNAVAILABLE; retry_after=2" --operation createDelivery --probability 0.3',
    '<%= config.bin %> sandbox faults --capacity 0',
    '<%= config.bin %> sandbox faults --clear',
  ]
  static override flags = {
    outage: Flags.boolean({ summary: '503 everywhere; --no-outage ends it', allowNo: true }),
    capacity: Flags.string({ summary: 'Drivers that can still be assigned, or off', helpValue: 'N|off' }),
    force: Flags.string({
      summary: 'What a rule does: an error code, HANG, RESET, GARBAGE, TRUNCATE, …',
      helpValue: 'TOKEN',
    }),
    latency: Flags.string({ summary: 'How long a rule delays', helpValue: 'SPAN' }),
    operation: Flags.string({ summary: 'Where a rule applies (default everywhere)', helpValue: 'NAME' }),
    probability: Flags.string({ summary: 'How often a rule applies, 0 to 1', helpValue: 'P' }),
    file: Flags.string({ char: 'f', summary: 'Rules as JSON: a file, or -', helpValue: 'FILE' }),
    clear: Flags.boolean({ summary: 'No rules, no outage, no limit of drivers' }),
  }

  async run(): Promise<unknown> {
    const { flags } = await this.parse(SandboxFaults)
    const steer = await this.steer()
    if (flags.clear) {
      await steer('POST', '/outage', { on: false })
      await steer('POST', '/capacity', { available: null })
      await steer('POST', '/faults', { rules: [] })
    }
    if (flags.outage !== undefined) await steer('POST', '/outage', { on: flags.outage })
    if (flags.capacity !== undefined)
      await steer('POST', '/capacity', { available: flags.capacity === 'off' ? null : Number(flags.capacity) })
    if (flags.file !== undefined) await steer('POST', '/faults', await readJson(flags.file, '--file'))
    if (flags.force !== undefined || flags.latency !== undefined) {
      const { rules } = (await steer('GET', '/faults')) as { rules: unknown[] }
      const rule = {
        ...(flags.operation === undefined ? {} : { operation: flags.operation }),
        ...(flags.force === undefined ? {} : { force: flags.force }),
        ...(flags.latency === undefined ? {} : { latencyMs: parseDurationMs(flags.latency, '--latency') }),
        ...(flags.probability === undefined ? {} : { probability: Number(flags.probability) }),
      }
      await steer('POST', '/faults', { rules: [...rules, rule] })
    }
    const [outage, capacity, faults] = await Promise.all([
      steer('GET', '/outage'),
      steer('GET', '/capacity'),
      steer('GET', '/faults'),
    ])
    const answer = {
      outage: (outage as { on: boolean }).on,
      capacity: (capacity as { available: number | null }).available,
      ...(faults as object),
    }
    await this.show(answerView, answer)
    return answer
  }
}
