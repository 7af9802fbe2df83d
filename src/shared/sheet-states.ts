import { foldedText } from './texts.js'

/** Words of an order that was called off, or whose money went back; in English, German, Spanish, French, Italian, Dutch. */
const calledOff = [
  ...['cancell?ed', 'refunded', 'voided?', 'failed', 'rejected', 'declined', 'expired', 'trash(?:ed)?'],
  ...['on.?hold', 'duplicate', 'draft', 'return(?:s|ed)?'],
  ...['storniert', 'abgebrochen', 'abgelehnt', 'erstattet', 'zuruckerstattet', 'ruckerstattet', 'fehlgeschlagen'],
  ...['cancelad[oa]', 'anulad[oa]', 'reembolsad[oa]', 'rechazad[oa]', 'fallid[oa]'],
  ...['annulee?', 'remboursee?', 'refusee?', 'echouee?'],
  ...['annullat[oa]', 'cancellat[oa]', 'rimborsat[oa]', 'rifiutat[oa]', 'fallit[oa]'],
  ...['geannuleerd', 'terugbetaald', 'geweigerd', 'mislukt'],
]

/** Words of the same by which a note begins; those that may speak of something else are not among them. */
const cancelledNote = [
  ...[
    'cancell?ed',
    '(?:the )?customer (?:has )?cancell?ed',
    '(?:please |pls )?cancel (?:this |the |my )?order',
    '(?:please |pls )?cancel(?=[^a-z\\d]*$)',
    '(?:order |fully )?refunded',
    'voided',
    '(?:order )?void(?=[^a-z\\d]*$)',
    '(?:please |pls )?(?:do not|don.?t|dont) (?:send|ship|deliver|dispatch|make|fill)(?: (?:this|it|out|order))*(?=[^a-z\\d]*$)',
  ],
  ...['storniert', 'storno', 'stornierung', 'cancelad[oa]', 'anulad[oa]', 'annulee?', 'annullat[oa]', 'geannuleerd'],
  ...[
    '(?:order|bestellung|auftrag|pedido|commande|ordine|bestelling) (?:was |is |ist |wurde |fue |est |e |a ete )?(?:cancell?ed|storniert|cancelad[oa]|anulad[oa]|annulee?|annullat[oa]|geannuleerd)',
  ],
]

/** Words of an order that is with its customer, or done. */
const done = [
  ...['completed?', 'fulfilled', 'shipped', 'dispatched', 'delivered', 'returned', 'picked ?up', 'collected', 'closed'],
  ...['done', 'archived'],
  ...['abgeschlossen', 'erledigt', 'ausgeliefert', 'geliefert', 'zugestellt', 'versandt', 'versendet', 'abgeholt'],
  ...['retourniert', 'zuruckgesendet'],
  ...['completad[oa]', 'entregad[oa]', 'enviad[oa]', 'recogid[oa]', 'finalizad[oa]', 'devuelt[oa]', 'cerrad[oa]'],
  ...['terminee?', 'livree?', 'expediee?', 'retiree?', 'retournee?', 'cloturee?'],
  ...[
    'completat[oa]',
    'consegnat[oa]',
    'spedit[oa]',
    'ritirat[oa]',
    'evas[oa]',
    'conclus[oa]',
    'restituit[oa]',
    'chius[oa]',
  ],
  ...['voltooid', 'afgerond', 'bezorgd', 'geleverd', 'verzonden', 'afgehaald', 'opgehaald', 'geretourneerd'],
]

/** Words of an order that the customer fetches, or that is none of a driver. */
const fetched = [
  ...[
    '(?:(?:in.?|at |from )?(?:store|shop|counter|curb.?side|kerb.?side|local|customer|drive.?(?:thru|through)) ?)?pick.?up',
  ],
  ...['pick.?up (?:(?:in|at|from) )?(?:(?:the )?(?:store|shop|counter|curb.?side|window))', 'pick.?up order'],
  ...['in.?store', 'curb.?side', 'dine.?in', 'drive.?(?:thru|through)', 'will.?call', 'walk.?in', 'to.?go', 'counter'],
  ...['(?:click (?:and|&|n) )?collect(?:ion)?', '(?:collect(?:ion)?|collected) (?:in|at|from) (?:the )?(?:store|shop)'],
  ...['(?:take|carry).?(?:out|away)', 'eat.?in', 'for here', 'digital'],
  ...[
    '(?:selbst)?abhol(?:ung|er)(?: (?:im|in der) (?:laden|geschaft|markt|filiale))?',
    'recogida(?: en (?:la )?(?:tienda|sucursal))?',
    'para llevar',
    'retrait(?: en magasin)?',
    'ritiro(?: in negozio)?',
  ],
  ...['afhalen(?: in (?:de )?winkel)?'],
]

/** Words of the same in a note, an address or a name; one that could be part of another text is not among them. */
const fetchedNote = [
  '(?:(?:customer|client|guest|he|she|they) (?:will |to )?)?(?:(?:for|will|store|counter|curbside|in.?store) )?pick(?:s|ing)?.?up(?: order)?',
  ...['(?:take|carry).?(?:out|away)', 'will.?call', 'walk.?in', 'dine.?in', '(?:click (?:and|&) )collect'],
  ...['pick.?up (?:(?:in|at|from) )?(?:the )?(?:store|shop|counter)', 'no delivery', '(?:selbst)?abholung', 'afhalen'],
]

const anyOf = (words: readonly string[]) => `(?:${words.join('|')})`
const offWords = new RegExp(
  `^${anyOf([...calledOff, 'storno', 'stornierung'])}$|^${anyOf(calledOff)} ?(?:[-:(,/]|by|from|on|von|durch|am|por|el|par|le|da|il|door|op)`,
)
const endedWords = new RegExp(`^${anyOf([...done, ...fetched])}$`)
const noteWords = new RegExp(`^[^a-z\\d]*${anyOf(cancelledNote)}(?![a-z\\d])`)
const nameWords =
  /^[^a-z\d]*(?:cancell?ed|voided|void|refunded|storniert|anulad[oa]|cancelad[oa])(?=[^a-z\d])|[-*([{/:!]\s*(?:cancell?ed|voided|void|refunded|storniert)[^a-z\d]*$/
const fetchedWords = new RegExp(`^${anyOf(fetched)}$`)
const fetchedNotes = new RegExp(`^[^a-z\\d]*(?:\\d{1,3} )?${anyOf(fetchedNote)}[^a-z\\d]*$`)
/** Of a shop, the customer fetches it; of a courier's board, the driver does. */
const perhapsFetched = /^(?:awaiting|ready for|pending|scheduled for) (?:customer )?(?:pick.?up|collection)$/

const statusOf =
  '(?:(?:current|order|delivery|shipping|shipment|fulfil?lment|financial|payment|bestell?|bestellungs|auftrags?|liefer|versand|zahlungs?|order|lever|bezorg|verzend|betaal)[ -]?)?status'
const how =
  '(?:order|delivery|shipping|shipment|fulfil?lment|dining|hand.?off|service|dispatch|receiving|collection|pick.?up|checkout)'
const statusNames = new RegExp(
  `^(?:${[
    `${statusOf}(?: (?:of|der|van|van de|des|du|de la) .+)?`,
    '(?:order |payment |delivery |shipping |fulfil?lment )?(?:type|method)|order (?:state|stage)',
    `(?:${how} )(?:type|method|mode|option|channel|kind|preference|service)|ship method|(?:shipping|delivery) description`,
    'kind|mode|option|fulfil?lment|service|delivery or pick.?up|pick.?up or delivery|(?:delivery|pick.?up) (?:delivery|pick.?up)',
    '(?:bestell|liefer|versand|auftrags?|zustell)art|(?:tipo|metodo|modalidad|modo) de (?:pedido|entrega|envio)',
    '(?:mode|type|methode) de (?:livraison|commande|retrait)|(?:tipo|metodo|modalita) (?:di )?(?:ordine|consegna)',
    '(?:lever|bezorg|verzend)(?:methode|wijze|optie)',
    'estado(?: (?:de |del |de la )?(?:pedido|orden|compra|entrega|envio|pago))?|estatus(?: .+)?',
    '(?:statut|etat)(?: (?:de |du |de la )?(?:commande|livraison|paiement))?',
    'stato(?: (?:del |dell ?|della )?(?:ordine|consegna|spedizione|pagamento))?',
    'date shipped|shipped (?:at|on)(?: date)?|(?:refunded|voided)(?: at| on)?',
  ].join('|')})$`,
)
/** Columns that hold whether, or when, an order was called off. */
const callsOff =
  /^(?:(?:is |order )?cancell?ed|(?:bestellung )?storniert|(?:pedido )?(?:cancelado|anulado)|(?:commande )?annulee?|(?:ordine )?annullato|geannuleerd)$/
const callOffTime =
  /^(?:(?:order )?cancell?ed (?:at|on|date)|cancell?ation date|storniert am|stornodatum|stornierungsdatum|fecha de (?:cancelacion|anulacion)|(?:cancelado|anulado) el|date d ?annulation|annulee? le|data (?:di )?annullamento|geannuleerd op|annuleringsdatum)$/
const yes = /^(?:yes|y|true|1|x|ja|j|si|s|oui|o|vrai|vero|waar)$/

/** What the values of a column say of its orders, by its name as {@link foldedText} and spaces make it. */
export type StateColumn = 'state' | 'payment' | 'kind' | 'time' | 'flag'

/** What a column says of the state of its orders; `undefined` if it says none. */
export function stateColumnOf(name: string): StateColumn | undefined {
  if (callOffTime.test(name)) return 'time'
  if (callsOff.test(name)) return 'flag'
  if (!statusNames.test(name)) return undefined
  if (/^(?:type|method|kind|mode|option|service)$/.test(name)) return 'kind'
  return /payment|financial|zahlung|betaal|pago|paiement|pagamento/.test(name) ? 'payment' : 'state'
}

/** Whether a value of such a column says that nobody has to be sent: the order is called off, fetched or done. */
export function isEndedState(value: string, column: StateColumn = 'state'): boolean {
  const plain = plainState(value)
  if (column === 'time') return plain !== ''
  if (column === 'flag' && yes.test(plain)) return true
  // A payment that is completed is one that was made.
  return offWords.test(plain) || (column !== 'payment' && endedWords.test(plain))
}

/** Whether a value of such a column says, or may say, that the customer fetches the order. */
export function isFetchedState(value: string, column: StateColumn): boolean {
  const plain = plainState(value)
  return (column === 'kind' && fetchedWords.test(plain)) || (column === 'state' && perhapsFetched.test(plain))
}

/** What a text about an order says of it that leaves a driver nothing to do: it was called off, or is fetched. */
export type SaidEnd = 'was called off' | 'is picked up'

/** What a note to the driver says of its order, if it is, or begins with, the words for it. */
export function endSaidBy(note: string): SaidEnd | undefined {
  const plain = plainState(note.slice(0, 200))
  if (noteWords.test(plain)) return 'was called off'
  return fetchedNotes.test(plain) ? 'is picked up' : undefined
}

/** What the name of a recipient or a street says of its order. */
export function endSaidByName(name: string): SaidEnd | undefined {
  const plain = plainState(name.slice(0, 200))
  if (nameWords.test(plain)) return 'was called off'
  return fetchedNotes.test(plain) ? 'is picked up' : undefined
}

function plainState(value: string): string {
  return foldedText(value)
    .replace(/[_\s]+/g, ' ')
    .replace(/^wc-/, '')
    .trim()
}
