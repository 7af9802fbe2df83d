import { isRecord } from '../../../shared/json.js'
import type { DeliverySummary } from '../../wire/live.js'

/** So many deliveries are remembered beside those that the service lists. */
const remembered = 20_000

/** What is known of deliveries from lists and events: the service's list has neither store nor ETA. */
export class DeliveryIndex {
  private readonly known = new Map<string, DeliverySummary>()

  get(deliveryId: string): DeliverySummary | undefined {
    return this.known.get(deliveryId)
  }

  /** Takes a delivery of a list or an event, which has more; returns what is known now. */
  note(delivery: unknown, eta?: unknown): DeliverySummary | undefined {
    if (!isRecord(delivery) || typeof delivery.deliveryId !== 'string') return undefined
    const { deliveryId } = delivery
    const before = this.known.get(deliveryId)
    const pickup = isRecord(delivery.pickup) ? delivery.pickup : {}
    const arrival = isRecord(eta) ? textOr(eta.dropoff) : undefined
    const firstEta = before?.firstEta ?? arrival
    const lastEta = arrival ?? before?.eta
    const store = textOr(pickup.storeReference) ?? before?.store
    // A list has no reasons: one that is known stays as long as the status does.
    const reason =
      textOr(delivery.statusReasonCode) ?? (before?.status === delivery.status ? before?.reason : undefined)
    const summary: DeliverySummary = {
      deliveryId,
      reference: textOr(delivery.clientOrderReference) ?? before?.reference ?? deliveryId,
      status: textOr(delivery.status) ?? before?.status ?? 'unknown',
      createdAt: textOr(delivery.createdAt) ?? before?.createdAt ?? null,
      updatedAt: textOr(delivery.updatedAt) ?? before?.updatedAt ?? null,
      ...(store === undefined ? {} : { store }),
      ...(firstEta === undefined ? {} : { firstEta }),
      ...(lastEta === undefined ? {} : { eta: lastEta }),
      ...(reason === undefined ? {} : { reason }),
    }
    // An older snapshot, as of an event that was listed late, does not replace a newer one.
    const isOlder = before !== undefined && Date.parse(summary.updatedAt ?? '') < Date.parse(before.updatedAt ?? '')
    const kept = isOlder ? { ...summary, ...before } : summary
    this.known.delete(deliveryId)
    this.known.set(deliveryId, kept)
    if (this.known.size > remembered) {
      const [oldest] = this.known.keys()
      if (oldest !== undefined) this.known.delete(oldest)
    }
    return kept
  }
}

function textOr(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
