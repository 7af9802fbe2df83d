import { Args, Flags } from '@oclif/core'
import { BaseCommand } from '../../cli/command/base-command.js'
import { exitCodes } from '../../cli/process/exit-codes.js'
import { takeSignals } from '../../cli/process/signals.js'
import type { ProofOfDelivery } from '../../contract/index.js'
import { proofList } from '../../render/verification.js'

/** For all images together. */
const defaultTimeoutMs = 60_000

export default class ProofOfDeliveryCommand extends BaseCommand {
  static override looksUp = 'alone' as const
  static override summary = 'Show or save the proof of delivery.'
  static override description =
    'Images larger than 64 MB are not saved. Redirects are followed, except to another origin on this machine or in a private network.'
  static override examples = [
    '<%= config.bin %> deliveries proof del_01ABC',
    '<%= config.bin %> deliveries proof del_01ABC --save ./proof',
  ]
  static override args = {
    id: Args.string({ description: 'Delivery id or order reference', required: true, ignoreStdin: true }),
  }
  static override flags = { save: Flags.string({ summary: 'Directory to save the images to', helpValue: 'DIR' }) }

  async run(): Promise<ProofOfDelivery[]> {
    const { args, flags } = await this.parse(ProofOfDeliveryCommand)
    const client = await this.session.client()
    const { deliveryId } = await this.session.named(args.id, client)
    const { proofOfDelivery } = await client.getDelivery({ deliveryId })
    const proofs = proofOfDelivery ?? []
    if (flags.save !== undefined) await this.save(proofs, deliveryId, flags.save)
    await this.session.show(proofList, proofs)
    return proofs
  }

  private async save(proofs: readonly ProofOfDelivery[], deliveryId: string, directory: string): Promise<void> {
    const { baseUrl } = await this.session.account.settings()
    const [{ savedProofs }, { downloadFromNetwork, downloadFromSandbox }] = await Promise.all([
      import('../../cli/deliveries/proof-files.js'),
      import('../../cli/deliveries/proof-files.js'),
    ])
    const { timeoutMs: limit = defaultTimeoutMs } = this.session.callLimits()
    const timeoutMs = typeof limit === 'function' ? limit() : limit
    const signals = [
      takeSignals(this.session.context),
      ...(timeoutMs === 0 ? [] : [AbortSignal.timeout(Math.ceil(timeoutMs))]),
    ]
    const open =
      baseUrl === undefined ? downloadFromSandbox(await this.session.account.sandbox()) : downloadFromNetwork(baseUrl)
    const files = { proofs, deliveryId, directory, open, signal: AbortSignal.any(signals) }
    for await (const saved of savedProofs(this.session.context, files)) {
      if ('file' in saved) this.session.notices.notice(`Saved ${saved.file}`)
      else {
        this.session.notices.warn(saved.notFound)
        this.session.endWith(exitCodes.notFound)
      }
    }
  }
}
