/** Fields that mean the same wherever they occur. */
export const fields: Readonly<Record<string, string>> = {
  acceptingDeliveries: 'Whether it takes commercial deliveries now. Null if that is not known.',
  accessLevel: 'What a driver needs to get in. Null if that is not known.',
  address: 'Where to deliver: one line, or its parts.',
  branch: 'The service branch that runs it. Null if that is not known.',
  buildingNumber: 'The number of the building, such as `4-1421`.',
  cancellationFeeCents:
    'The fee of a cancellation, in cents. Null or absent if none is due or the account has no fees.',
  city: 'The city.',
  clientOrderReference: 'Your own reference of the order, 1 to 128 characters, unique in your account.',
  code: 'The code, such as `FTBRAGG`.',
  contactName: 'The person who receives the delivery.',
  contactPhone: 'The phone number of the recipient in E.164, such as `+19105550142`.',
  contains:
    'What the package has that rules apply to, such as `alcohol`; at most 100 words. Some installations prohibit some of them.',
  createdAt: 'When it was created, RFC 3339 in UTC. Null if that is not known.',
  currency: 'The currency of the amounts, such as `USD`. Null if not known.',
  cursor: 'Where the page starts: the `nextCursor` of the page before. Keep all filters the same.',
  delivery: 'The delivery as it was when the event happened.',
  deliveryId: 'The id of the delivery, such as `del_01J…`.',
  deliveryPoint: 'Where on the installation it is handed over. Null or absent if it was left open.',
  driver: 'The driver. Null or absent as long as none is assigned.',
  dropoff: 'Where the delivery goes, and to whom.',
  end: 'The latest time, RFC 3339 with `Z` or an offset.',
  eventId: 'The id of the event, equal to the header `webhook-id`. Handle each id only once.',
  eventType: 'What happened, such as `delivery.delivered`. New types can appear without notice.',
  fpconLevel: 'The force protection condition: the higher, the stricter the gates. Null if that is not known.',
  gate: 'The gate to enter by. Null or absent if it was left open.',
  hours: 'The opening hours as text, such as `Mon-Fri 05:00-20:00`. Null if they are not known.',
  idempotencyKey:
    'The same key and body within 24 hours get the first response again: 1 to 128 printable ASCII characters.',
  identity: 'Whether the recipient has to show an identity document.',
  installation: 'The military installation that the address is on. Null or absent elsewhere.',
  instructions: 'What the driver should know, at most 280 characters.',
  level: 'How it is wanted: not at all, if possible, or without exception.',
  limit: 'How many items a page has at most: 1 to 100. Default 50.',
  line1: 'Street and number.',
  livemode: '`false` for everything of a sandbox. Null if not known.',
  minimumAge: 'The age in years that the recipient has to prove, 0 to 150.',
  name: 'The name. Null if it is not known.',
  nextCursor: 'The `cursor` of the next page. Null on the last one.',
  occurredAt: 'When it happened, RFC 3339 in UTC.',
  onDuty: 'Whether the driver is at work. Null if that is not known.',
  package: 'What is delivered.',
  phoneNumber: 'The phone number in E.164. Null if it is not known.',
  photographyPermitted: 'Whether a driver may take photos there. Null if that is not known.',
  pickup: 'Where the delivery starts.',
  postalCode: 'The US postal code, 5 or 9 digits.',
  previousStatus: 'The status before this event. Null or absent if it changed none.',
  quoteId: 'The quote whose price and carrier to use. It must not have expired.',
  reason: 'The reason in words. Wording can change: branch on the code.',
  room: 'The room or suite.',
  start: 'The earliest time, RFC 3339 with `Z` or an offset.',
  state: 'The US state or territory, two letters.',
  status: 'Where the delivery is. New statuses can appear without notice.',
  statusReason:
    'Why it has this status, in words. Null if there is nothing to say. Wording can change: branch on `statusReasonCode`.',
  statusReasonCode: 'Why it has this status. Null or absent for statuses that need no reason.',
  storeReference: 'Your reference of the store that it is picked up at.',
  supportedDeliveryPoints: 'Where on the installation deliveries are handed over. Null if that is not known.',
  timeWindows: 'When to pick up and to deliver. Absent means as soon as possible.',
  timezone: 'The time zone of the opening hours, such as `America/New_York`. Null if it is not known.',
  tipAmountCents: 'The tip for the driver, in cents.',
  totalPriceCents: 'The whole price, in cents.',
  unit: 'Where on the installation the recipient is. Null or absent elsewhere.',
  unitDesignation: 'The military unit, such as `A Co, 2-505 PIR`.',
  updatedAt: 'When it last changed, RFC 3339 in UTC. Null if that is not known.',
  vehicleDescription: 'The vehicle, such as `Yellow Kia Soul`. Null if it is not known.',
  verification: 'How the handover is verified.',
}

/** A type and its fields, by their dotted path, where the general description of a field does not fit. */
interface Description {
  /** The type itself. */
  self: string
  [path: string]: string
}

export type Descriptions = Readonly<Record<string, Description>>
