import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../cli/command/api-command.js'
import { saveProofs } from '../../cli/deliveries/proof-files.js'
import type { ProofOfDelivery } from '../../contract/index.js'
import { proofList } from '../../render/proof-view.js'

export default class ProofOfDeliveryCommand extends ApiCommand {
  static override summary = 'Show the proof of delivery, and save its pictures.'
  static override examples = [
    '<%= config.bin %> deliveries proof del_01ABC',
    '<%= config.bin %> deliveries proof del_01ABC --save ./proof',
  ]
  static override args = { id: Args.string({ description: 'Delivery id', required: true, ignoreStdin: true }) }
  static override flags = { save: Flags.string({ summary: 'Folder to save the pictures to', helpValue: 'DIR' }) }

  async run(): Promise<ProofOfDelivery[]> {
    const { args, flags } = await this.parse(ProofOfDeliveryCommand)
    const client = await this.api()
    const { proofOfDelivery } = await client.getDelivery({ deliveryId: args.id })
    const proofs = proofOfDelivery ?? []
    if (flags.save !== undefined) {
      const { baseUrl } = await this.settings()
      const sandbox = baseUrl === undefined ? await this.sandbox() : undefined
      const files = await saveProofs(
        this.context,
        proofs,
        args.id,
        flags.save,
        sandbox === undefined ? fetch : (request) => sandbox.fetch(request),
      )
      for (const file of files) this.notices.notice(`Saved ${file}`)
    }
    await this.show(proofList, proofs)
    return proofs
  }
}
