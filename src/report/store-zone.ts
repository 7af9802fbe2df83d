/**
 * The zone that most of a state lives in. The contract does not say where a store is; its dropoffs are a drive away, so
 * that their state says it, but for the few areas below.
 */
const zoneOfState: Readonly<Record<string, string>> = {
  AK: 'America/Anchorage',
  AZ: 'America/Phoenix',
  GU: 'Pacific/Guam',
  HI: 'Pacific/Honolulu',
  MP: 'Pacific/Guam',
  PR: 'America/Puerto_Rico',
  VI: 'America/Puerto_Rico',
  AS: 'Pacific/Pago_Pago',
  ...statesIn('America/New_York', 'CT DC DE FL GA IN KY MA MD ME MI NC NH NJ NY OH PA RI SC VA VT WV'),
  ...statesIn('America/Chicago', 'AL AR IA IL KS LA MN MO MS ND NE OK SD TN TX WI'),
  ...statesIn('America/Denver', 'CO ID MT NM UT WY'),
  ...statesIn('America/Los_Angeles', 'CA NV OR WA'),
}

/** Areas by the first three digits of the postal code that keep another time than most of their state. */
const zoneOfArea: Readonly<Record<string, string>> = {
  ...statesIn('America/Chicago', '324 325 420 421 422 423 424 427 463 464 476 477'),
  ...statesIn('America/New_York', '373 374 376 377 378 379'),
  ...statesIn('America/Denver', '576 577 586 691 692 693 798 799 885'),
  ...statesIn('America/Los_Angeles', '835 838'),
}

function statesIn(zone: string, names: string): Record<string, string> {
  return Object.fromEntries(names.split(' ').map((name) => [name, zone]))
}

/** The IANA zone of a stop's postal code and state; `undefined` if they tell none. */
export function zoneOfStop(stop: { postalCode?: string | undefined; state?: string | undefined }): string | undefined {
  return zoneOfArea[stop.postalCode?.slice(0, 3) ?? ''] ?? zoneOfState[stop.state ?? '']
}
