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
  ...['pick ?up', 'in.?store(?: pick ?up)?', 'curbside(?: pick ?up)?', 'store pick ?up', 'dine.?in'],
  ...['take.?(?:out|away)', 'eat.?in', 'for here', 'digital'],
  ...[
    'abholung',
    'selbstabholung',
    'recogida(?: en (?:la )?tienda)?',
    'retrait(?: en magasin)?',
    'ritiro(?: in negozio)?',
  ],
  ...['afhalen'],
]

const anyOf = (words: readonly string[]) => `(?:${words.join('|')})`
const offWords = new RegExp(
  `^${anyOf([...calledOff, 'storno', 'stornierung'])}$|^${anyOf(calledOff)} ?(?:[-:(,/]|by|from|on|von|durch|am|por|el|par|le|da|il|door|op)`,
)
const endedWords = new RegExp(`^${anyOf([...done, ...fetched])}$`)
const noteWords = new RegExp(`^[^a-z\\d]*${anyOf(cancelledNote)}(?![a-z\\d])`)

const statusOf =
  '(?:(?:current|order|delivery|shipping|shipment|fulfil?lment|financial|payment|bestell?|bestellungs|auftrags?|liefer|versand|zahlungs?|order|lever|bezorg|verzend|betaal)[ -]?)?status'
const statusNames = new RegExp(
  `^(?:${[
    `${statusOf}(?: (?:of|der|van|van de|des|du|de la) .+)?`,
    '(?:order |payment |delivery |shipping |fulfil?lment )?(?:type|method)|order (?:state|stage)',
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
  if (/^(?:type|method)$/.test(name)) return 'kind'
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

/** Whether a note to the driver is, or begins with, the word that its order was called off. */
export function saysCancelled(note: string): boolean {
  return noteWords.test(plainState(note.slice(0, 200)))
}

function plainState(value: string): string {
  return foldedText(value)
    .replace(/[_\s]+/g, ' ')
    .replace(/^wc-/, '')
    .trim()
}
