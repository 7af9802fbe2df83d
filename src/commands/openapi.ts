import { Flags } from '@oclif/core'
import { BaseCommand } from '../cli/command/base-command.js'
import { asVersion30, openApiDocument } from '../contract/openapi/index.js'
import { safeJson } from '../render/plain-text.js'
import { idOf, type View } from '../render/view.js'

type Document = ReturnType<typeof openApiDocument>

const documentView: View<Document> = {
  id: idOf('info.version'),
  columns: [{ name: 'openapi' }, { name: 'info.title' }, { name: 'info.version' }],
  rows: (document) => [document],
  card: (document) => safeJson(document, 2),
}

export default class OpenApi extends BaseCommand {
  static override summary = 'Print the contract as OpenAPI (JSON).'
  static override description =
    'Every operation with examples, and the webhooks, in OpenAPI 3.1. --3.0 prints the same in 3.0.3 for tools that do not read 3.1, with the webhooks as x-webhooks. The document is also in the package, as dlv-cli/openapi.json. docs/openapi.md shows how to generate clients from it, how to import it into Postman, and how to serve its examples.'
  static override examples = [
    '<%= config.bin %> openapi > openapi.json',
    '<%= config.bin %> openapi --3.0 > openapi-3.0.json',
    "<%= config.bin %> openapi --jq '.paths | keys'",
    '<%= config.bin %> openapi --jq .components.schemas.DeliveryCreate',
  ]

  static override flags = {
    '3.0': Flags.boolean({ summary: 'Print OpenAPI 3.0.3' }),
  }

  async run(): Promise<Document> {
    const { flags } = await this.parse(OpenApi)
    const document = flags['3.0'] ? asVersion30(openApiDocument()) : openApiDocument()
    if (this.session.output.choices.format === 'table' && this.session.output.choices.jq === undefined)
      await this.session.output.text(safeJson(document, 2))
    else await this.session.show(documentView, document)
    return document
  }
}
