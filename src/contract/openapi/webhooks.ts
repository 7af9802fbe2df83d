import type { z } from 'zod'
import { DeliveryEvent, DriverEvent, InstallationEvent } from '../events.js'
import { headers } from '../headers.js'
import { limits } from '../limits.js'
import { typeDescription } from './descriptions/index.js'
import { parameterExample, webhookExamples } from './examples/index.js'
import { json } from './responses.js'
import { nameOf, schemaOf } from './schemas.js'
import type { JsonSchema } from './simplify.js'

/** The document's `webhooks`: what the service sends to the endpoints of the account. */
export function webhooks(): JsonSchema {
  return {
    deliveryEvent: webhook('deliveryEvent', 'A delivery changed, or has new information', DeliveryEvent),
    driverEvent: webhook('driverEvent', 'A driver of an owned fleet changed', DriverEvent),
    installationEvent: webhook('installationEvent', 'The access policy of an installation changed', InstallationEvent),
  }
}

const rules =
  'Verify the signature over the raw body, answer within ' +
  `${limits.webhookResponseTimeoutSeconds} seconds, and handle each \`eventId\` only once: the same event can arrive again, and ` +
  'events can arrive in another order.'

function webhook(operationId: keyof typeof webhookExamples, summary: string, schema: z.ZodType): JsonSchema {
  const header = (name: string, description: string) => ({
    name,
    in: 'header',
    required: true,
    description,
    schema: { type: 'string' },
    ...parameterExample(operationId, name),
  })
  return {
    post: {
      operationId,
      summary,
      description: `${typeDescription(nameOf(schema) ?? '')} ${rules}`,
      tags: ['Events'],
      security: [],
      parameters: [
        header(headers.webhookId, 'Unique id of the event, equal to `eventId`'),
        header(headers.webhookTimestamp, 'Unix time at which the webhook was sent, in seconds'),
        header(headers.webhookSignature, 'Space-separated list of `v1,<base64>` entries'),
      ],
      requestBody: {
        required: true,
        content: { [json]: { schema: schemaOf(schema), example: webhookExamples[operationId] } },
      },
      responses: {
        '2XX': { description: `Accepted; must arrive within ${limits.webhookResponseTimeoutSeconds} seconds` },
        '4XX': { description: `Not accepted; sent again later, ${limits.webhookAttempts} attempts in total` },
      },
    },
  }
}
