/** What must compile for browsers and workers, without the types of Node. Checked by `types.test.ts`. */
import { createClient, DlvError, fetchTransport } from 'dlv-cli/client'
import { operationNames } from 'dlv-cli/contract'
import { fetchReceiver, isDeliveryEvent, verify } from 'dlv-cli/webhooks'

export async function used(request: Request): Promise<unknown[]> {
  const client = createClient({ baseUrl: 'https://api.example.com/delivery/v1', transport: fetchTransport(fetch) })
  const failure = await client.getDelivery({ deliveryId: 'del_1' }).catch((error: unknown) => error)
  const receive = fetchReceiver({
    secrets: 'whsec_',
    onEvent: (event) => isDeliveryEvent(event) && event.delivery.status,
  })
  const verdict = verify({ secrets: 'whsec_', headers: request.headers, body: new Uint8Array() })
  return [failure instanceof DlvError && failure.kind, await receive(request), verdict.ok, operationNames]
}
