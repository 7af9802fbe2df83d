/** The JSON of events as the second file keeps it: deflated, each by itself, with texts that most events have in common. */

/** Every version has to read what an earlier one wrote: this stays as it is. */
export const dictionary = Buffer.from(
  [
    '"timeWindows":{"deliveryMode":"scheduled","pickup":{"start":"","end":""}},"installation":{"code":"","gate":""}',
    ',"statusReasonCode":"recipient_unavailable","previousStatus":"pickup_complete","eta":{"dropoff":"2026-10-27T08:43:15.141Z"},',
    '"statusHistory":[{"status":"scheduled","occurredAt":"2026-10-27T07:58:15.141Z"},{"status":"accepted","occurredAt":"2026-10-27T07:58:15.141Z"},',
    '{"status":"driver_assigned","occurredAt":"2026-10-27T07:58:17.646Z"},{"status":"driver_enroute_to_pickup","occurredAt":"2026-10-27T07:58:20.152Z"},',
    '{"status":"driver_at_pickup","occurredAt":"2026-10-27T07:58:22.657Z"},{"status":"pickup_complete","occurredAt":"2026-10-27T07:58:25.163Z"},',
    '{"status":"driver_enroute_to_dropoff","occurredAt":"2026-10-27T07:58:27.669Z"},{"status":"driver_at_dropoff","occurredAt":"2026-10-27T07:58:30.174Z"},',
    '{"status":"delivered","occurredAt":"2026-10-27T07:58:32.680Z"}],',
    '{"eventId":"evt_0","eventType":"delivery.driver_location_updated","occurredAt":"2026-10-28T23:51:16.347Z","livemode":false,',
    '"delivery":{"deliveryId":"del_0","clientOrderReference":"ORDER-","status":"driver_enroute_to_dropoff",',
    '"pickup":{"storeReference":"STORE-0","businessName":"Market"},"dropoff":{"address":{"line1":" Street","line2":"Apt ","city":"","state":"NC","postalCode":"28"},',
    '"contactName":"","contactPhone":"+19105550","instructions":"Side door. Please ring twice."},',
    '"pricing":{"currency":"USD","deliveryFeeCents":8,"tipAmountCents":0,"cancellationFeeCents":8,"totalPriceCents":1},',
    '"driver":{"id":"drv_0","name":"","phoneNumber":"+17605550","vehicleDescription":"Yellow ","location":{"latitude":3,"longitude":-7,"updatedAt":"2026-10-28T23:51:16.347Z"}},',
    '"proofOfDelivery":[{"type":"photo","stage":"dropoff","url":"https://","capturedAt":"2026-10-28T23:51:16.347Z"}],',
    '"resolvedVerification":{"dropoff":{"photo":{"level":"preferred","substituteWhenProhibited":"signature"},"identity":{"level":"required","minimumAge":21}},',
    '"derived":[{"mechanism":"identity","level":"required","minimumAge":21,"source":"package.contains"}],"suppressed":[]},',
    '"trackingUrl":"https://track/del_0","createdAt":"2026-10-28T23:27:19.065Z","updatedAt":"2026-10-28T23:51:16.347Z"}}',
  ].join(''),
)

/** An event has one to four kilobytes: a larger window, or a better level, would cost more than it saves. */
const compression = { level: 1, windowBits: 12, memLevel: 5, chunkSize: 1_024, dictionary }

/** The bytes of a body as they are kept. */
export function deflated(body: Uint8Array): Uint8Array {
  return process.getBuiltinModule('node:zlib').deflateSync(body, compression)
}

/** The bytes of a body. @throws RangeError if they are more than `maxBytes` */
export function inflated(body: Uint8Array, maxBytes?: number): Uint8Array {
  const options = maxBytes === undefined ? { dictionary } : { dictionary, maxOutputLength: maxBytes }
  return process.getBuiltinModule('node:zlib').inflateSync(body, options)
}
