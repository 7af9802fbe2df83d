import { elsewhere } from '../../../shared/sheet-columns.js'

/** Words of columns that count or weigh, or hold another part of an amount, whatever begins their names. */
const notMoney = String.raw`(?!.*%)(?!.*\b(?:percent(?:age)?|pct|rate)\b)(?!.*\b(?:quantity|qty|count|number|num|no|nr|items?|units?|pieces|pcs|boxes|bags|lines|weight|kg|lbs?|oz|grams?|miles|distance|time|anzahl|menge|stuck|gewicht|cantidad|peso|quantite|poids|quantita|aantal)\b)(?!.*\btotal (?:tax(?:es)?|vat|discounts?|shipping|delivery|refund\w*|tips?|fees?|due|paid)\b)`

/** Notes that are none of a customer to the driver. */
const otherNotes = String.raw`(?!.*\b(?:staff|internal|intern|interno|admin|seller|private|office|kitchen|merchant|vendor|team|warehouse|payment|invoice|refund|cancel\w*|gift|card|greeting|item|product|bill(?:ing)?|fax|store|shop|sender|pick ?up|return|origin|rechnung|facturacion|facturation|fatturazione)\b)`
const noteWords =
  '(?:instructions?|notes?|memos?|messages?|comments?|remarks?|directions|requests?|bemerkung(?:en)?|hinweise?|anmerkung(?:en)?|nachricht|notas?|instrucciones|observaciones|comentarios?|mensaje|remarques?|commentaires?|istruzioni|opmerking(?:en)?)'

/** Notes that were asked for the driver. */
export const driverNote = new RegExp(
  String.raw`^${otherNotes}(?:.*\b(?:driver|courier|deliver(?:y)?|drop ?off|shipping|fahrer|liefer\w*|entrega|livraison|consegna)\b.*\b${noteWords}|.*\b${noteWords}\b.*\b(?:driver|courier|delivery)\b)`,
)
const customerNote = new RegExp(String.raw`^${otherNotes}.*\b${noteWords}\b`)

/** Names of columns that no shop is known for, each with its field; the first that fits is taken. Names are folded. */
export const likelyNames: readonly (readonly [name: RegExp, field: string])[] = [
  [
    /^(?:(?:sales|shop|web|external|customer|purchase) )?(?:order|invoice|reference|ref|ticket|job|delivery|po)(?: ?(?:no|number|num|id|nr|ref|reference|code|name|#))$|^(?:sales )?(?:order|orders|invoice|reference|ref|ticket)$|^external (?:delivery )?(?:id|ref|reference)$|^increment id$|^(?!.*\b(?:payment|store|shop|customer|item|driver|gift|location|transaction|bank|product)\b)\w+ ref(?:erence)?$/,
    'clientOrderReference',
  ],
  [
    /^(?:bestell(?:ung|nummer|nr)|bestellungs? ?(?:nr|nummer|id)|auftrag(?:s ?(?:nr|nummer))?|(?:(?:n(?:o|um(?:ero)?)?|id) (?:de |del |di )?)?(?:pedido|commande|ordine)|(?:pedido|commande|ordine) (?:no?|num(?:ero)?|id)|bestelling|bestelnummer|ordernummer)$/,
    'clientOrderReference',
  ],
  [
    /^(?:(?:store|location|pick ?up|shop)(?: (?:store|location|shop))?|external store)(?: (?:no|number|id|code|reference|name))?$|^filiale?$|^tienda$|^magasin$/,
    'pickup.storeReference',
  ],
  [
    new RegExp(
      `^${elsewhere}(?:(?:ship(?:ping)?|recipient|customer|contact|deliver(?:y)?|drop ?off|full|client|consignee|guest|to|receiver|addressee|patient|resident|tenant|member|student)(?: to)?(?: address)?(?: contact)?(?: full)? )?name$`,
    ),
    'dropoff.contactName',
  ],
  [
    /^(?:cust(?:omer)?|recipient|receiver|addressee|consignee|contact(?: person)?|client|guest|patient|resident|tenant|attn|attention|deliver to|ship to|empfanger(?:name)?|empfaenger|kunde|ansprechpartner|nombre(?: completo)?|cliente|destinatario|nom(?: complet)?|client|destinataire|nome(?: completo)?|naam|klant|ontvanger)$/,
    'dropoff.contactName',
  ],
  [
    new RegExp(
      String.raw`^${elsewhere}.*\b(?:phone|mobile|cell|tel|telephone|contact (?:number|no|#)|telefon(?:nummer)?|handy|mobil|telefono|movil|celular|portable|cellulare|telefone|telefoon(?:nummer)?)\b`,
    ),
    'dropoff.contactPhone',
  ],
  [driverNote, 'dropoff.instructions'],
  [customerNote, 'dropoff.instructions'],
  [/^(?:gate|door|access|entry|buzzer|building|intercom)(?: (?:code|pin|no|#))$/, 'dropoff.instructions'],
  [
    /^(?:qty|quantity|(?:total )?items|pieces|pcs|item count|(?:number|no|count) of items|units|anzahl|menge|stuck|cantidad|unidades|quantite|quantita|aantal)$/,
    'package.itemsCount',
  ],
  [
    /^(?:(?:line ?|order )?items?|products?)(?: names?| titles?| description)?$|^(?:description|contents?|goods|order (?:details?|summary)|artikel|produkt|producto|articulo|descripcion|article|produit|articolo|prodotto)$/,
    'package.description',
  ],
  [
    /^(?:(?:(?:order|grand|manifest|cart|basket|goods) )*(?:total|sub ?total|value)|(?:order |declared |total )?value|amount|amt|summe|gesamt|betrag|importe|montant|importo|totaal|bedrag)$/,
    'package.valueCents',
  ],
  [
    new RegExp(
      String.raw`^${notMoney}(?:(?:order |grand |manifest )*(?:total|subtotal|value)|(?:order |declared |total )?value|amount|summe|gesamt|betrag|importe|montant|importo|totaal|bedrag)\b`,
    ),
    'package.valueCents',
  ],
  [
    /^(?!.*(?:%|\b(?:percent(?:age)?|pct|rate|type|option|method|paid)\b))(?:(?:driver|courier|delivery|dasher|customer|order|total) )?(?:tips?|grat(?:uit(?:y|ies))?|trinkgeld|propina|pourboire|mancia|fooi)\b/,
    'tipAmountCents',
  ],
  [/^(?:package |total )?(?:weight|gewicht|peso|poids)\b/, 'package.weightGrams'],
]

/** Names of columns that say where on an installation an order goes, once a column names the installation itself. */
export const installationNames = {
  code: /^(?:(?:military|mil|army|air force|navy|marine|us|ship(?:ping)?|deliver(?:y)?|drop ?off|recipient|customer) )*(?:installation|base|post|mil base|garrison)(?: (?:code|name|id))?$/,
  others: [
    [/^(?:.* )?(?:gate|acp|access control point|entry point)(?: name)?$/, 'dropoff.installation.gate'],
    [/^(?:.* )?(?:building|bldg|barracks)(?: (?:no|nr|num|number|#))?$/, 'dropoff.unit.buildingNumber'],
    [/^(?:.* )?(?:room|rm)(?: (?:no|nr|num|number|#))?$/, 'dropoff.unit.room'],
    [
      /^(?:(?:military|mil|army) )?(?:unit|unit designation|unit name|company|battalion|squadron)$/,
      'dropoff.unit.unitDesignation',
    ],
    [/^(?:.* )?(?:deliver(?:y)?|drop ?off|hand ?off) (?:point|spot)$/, 'dropoff.unit.deliveryPoint'],
  ],
} as const

/** Names of columns with the times of a delivery. */
export const timeNames = {
  window:
    /^(?:(?:requested|scheduled|preferred|promised) )?(?:(?:deliver(?:y)?|drop ?off|time|arrival) )?(?:window|slot|time ?slot|time window|time ?frame|time ?range|time block|block|zeitfenster|lieferfenster)$/,
  bareDate: /^(?:date|day|datum|tag|fecha|dia|jour|data|giorno)$/,
  bareTime: /^(?:time|hour|when|uhrzeit|zeit|hora|heure|ora|tijd)$/,
  date: /^(?:(?:requested|scheduled|preferred|promised|expected) )?(?:deliver(?:y)?|drop ?off|due|needed|requested|scheduled|arrival|liefer|wunsch)(?: ?(?:date|day|datum|tag|termin))$|^(?:fecha de entrega|date de livraison|data di consegna|leverdatum)$/,
  start:
    /^(?:(?:deliver(?:y)?|drop ?off|window|time|earliest|requested|scheduled|lieferung) )*(?:from|start(?:s|ing)?|after|not before|earliest|ready|von|ab|desde)(?: (?:time|dt|at))?$|^(?:requested |scheduled |preferred )?(?:deliver(?:y)?|drop ?off) (?:time|at)$|^(?:requested|scheduled|promised|wanted) (?:deliver(?:y)?|arrival)$|^(?:time (?:wanted|requested|needed)|(?:wanted|needed|requested|preferred|scheduled) (?:time|at|for|on|when))$|^(?:lieferzeit|uhrzeit|hora de entrega|heure de livraison)$/,
  end: /^(?:(?:deliver(?:y)?|drop ?off|window|time|latest|requested|scheduled|lieferung) )*(?:by|to|until|before|end(?:s|ing)?|latest|deadline|due|bis|hasta)(?: (?:time|dt|at))?$|^promised(?: (?:time|by|at|for|delivery))?$|^(?:needed|wanted|required) by$/,
} as const
