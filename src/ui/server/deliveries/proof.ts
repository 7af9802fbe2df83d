import { parameter, Refused, type RouteCall } from '../route.js'

/** Most that a proof image may take, in bytes. */
const maxImageBytes = 16_777_216

/** An image of the proof, fetched for the page, which makes no requests to other servers. */
export async function readProof(call: RouteCall): Promise<Blob> {
  const { proofOfDelivery } = await call.backend.client.getDelivery({ deliveryId: parameter(call, 'deliveryId') })
  const url = (proofOfDelivery ?? [])[Number(call.parameters.index)]?.url
  if (url == null) throw new Refused(404, 'NOT_FOUND', 'This proof has no image.')
  const { contentType, body } = await call.backend.download(url)
  if (!/^image\/(?:svg\+xml|png|jpeg|webp|gif)\b/.test(contentType))
    throw new Refused(422, 'REFUSED', `This proof is ${contentType || 'of no known type'}, not an image.`)
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > maxImageBytes) throw new Refused(422, 'REFUSED', 'This image is larger than 16 MB.')
    chunks.push(new Uint8Array(chunk))
  }
  return new Blob(chunks, { type: contentType })
}
