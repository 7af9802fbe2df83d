import { foldedText, trimmed } from './texts.js'

/** Words of which a time, a day or a window is written, beside its numbers. */
const timeWords = new Set(
  [
    'jan january feb february mar march apr april may jun june jul july aug august sep sept september oct october',
    'nov november dec december mon monday tue tues tuesday wed weds wednesday thu thur thurs thursday fri friday',
    'sat saturday sun sunday am pm a p m h hr hrs noon midday midnight morning afternoon evening lunch dinner',
    'tonight today tomorrow asap now at on between and after before by from to till til until through around about',
    'approx est edt cst cdt mst mdt pst pdt akst akdt ast hst chst et ct mt pt utc gmt z t st nd rd th o clock oclock ish the of',
    'uhr von bis und um ab montag dienstag mittwoch donnerstag freitag samstag sonntag heute morgen mai juni juli',
  ]
    .join(' ')
    .split(' '),
)
const timeSigns = [
  /\d{1,2}:\d{2}/,
  /\d\s*[ap]\.?\s?m\b/,
  /\b\d{4}[-/.]\d{1,2}[-/.]\d{1,2}\b/,
  /\b\d{1,2}([/.-])\d{1,2}\1\d{2,4}\b/,
  /^\d{1,2}\/\d{1,2}\b/,
  /\b\d{1,2}(?:st|nd|rd|th)?[- .]+(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/,
  /\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d{1,2}\b/,
  /\b(?:mon|tue|tues|wed|weds|wednes|thu|thur|thurs|fri|sat|satur|sun)(?:day)?\b/,
  /\b(?:noon|midday|morning|afternoon|evening|tonight|today|tomorrow|asap)\b/,
]

/** Whether a cell is a time, a day or a window, whatever its form, and no text that names one. */
export function looksLikeTime(value: string): boolean {
  if (value.length > 60) return false
  const text = foldedText(value)
  return (
    timeSigns.some((sign) => sign.test(text)) &&
    // A month and its day may be written together: 30Nov, 5pm.
    (text.match(/\p{L}+/gu) ?? []).every((word) => timeWords.has(word))
  )
}

/** The words before a time of delivery, in a text for the driver or a field of a shop's form. */
const beforeTime =
  /\b(?:(?:deliver(?:y|ed)?|drop ?off|arrival|arrive|come|liefer\w*|entrega|livraison)(?:[ _-](?:date|day|time|window|slot|datum|termin))?s?\s*[:=]|(?:deliver(?:y|ed)?|drop ?off|arrive|come)\b[^\n;|.!?]{0,30}?\b(?:on|by|at|after|before|between|from|until)|(?:deliver|delivery|drop ?off)(?=\s))\s*/gi

/** The time at which an order is wanted, by its text: `Delivery Date: 2036/12/01`, `deliver after 5 PM`. */
export function toldTime(text: string): string | undefined {
  if (text.length > 2_000 || !/deliver|drop ?off|arriv|come|liefer|entrega|livraison/i.test(text)) return undefined
  for (const { 0: label, index } of text.matchAll(beforeTime)) {
    const words = text
      .slice(index + label.length)
      .split(/[\n;|]/, 1)[0]
      ?.split(/\s+/)
      .slice(0, 7)
    const [first = ''] = words ?? []
    // Most go on with a place: `deliver to the door`.
    if (!/\d/.test(first) && !timeWords.has(foldedText(first).replace(/[^\p{L}]/gu, ''))) continue
    for (let count = words?.length ?? 0; count > 0; count--) {
      const told =
        words
          ?.slice(0, count)
          .join(' ')
          .replace(/[.,!]+$/, '') ?? ''
      if (looksLikeTime(told)) return `${label.trimStart()}${told}`.replace(/\s+/g, ' ')
    }
  }
  return undefined
}

const otherTimes =
  /\b(?:creat(?:ed|ion)|paid|payments?|placed|open(?:ed)?|closed?|ordered|order (?:date|time|day|placed)|purchased?|sales?|sold|invoiced?|updated|modified|edited|changed|cancel\w*|refund\w*|shipped|dispatched|fulfilled|completed|delivered|sent|birth\w*|dob|expir\w*|printed|report(?:ed|ing)?|captured|authori[sz]ed|since|registered|sign ?up|entered|submitted|accepted|booked|transaction|timestamp|prep\w*|duration|elapsed|lead|zone|timezone|last|import(?:ed)?|export(?:ed)?|hours?|phone|tel|mobile|bestelldatum|bestellt|erstellt|bezahlt|rechnungs\w*|geburtsdatum|besteldatum|(?:fecha|date|data) (?:de |di |del |du |de la )?(?:pedido|compra|creacion|pago|commande|creation|paiement|ordine|creazione))\b/

/** Whether a column holds times that are none of a delivery: when an order was placed, paid or changed. */
export function isOtherTime(name: string): boolean {
  return otherTimes.test(name)
}

const internal =
  /\b(?:staff|internal|admin|seller|private|office|kitchen|merchant|vendor|shop|store|team|warehouse|payment|bill(?:ing)?|invoice|return|refund|cancell?\w*|tax|discount|promo|coupon|amount|price|total|fee|balance|count|number|id|sku|item|product|intern|interne|interno)\b/
const note =
  /\b(?:notes?|messages?|comments?|remarks?|instructions?|directions|memo|special requests?|requests|bemerkung(?:en)?|hinweise?|anmerkung(?:en)?|nachricht|notas?|instrucciones|observaciones|comentarios?|mensaje|remarques?|commentaires?|istruzioni|opmerking(?:en)?)\b|\b(?:gate|door|access|entry|buzzer|lobby|security|building|intercom)(?: ?(?:code|pin|no|#))?$|^(?:(?:phone|contact|tel|telephone|customer|recipient) )?(?:ext|extn|extension)(?: ?(?:no|number|#))?$|^(?:custom|card|gift|personali[sz]ation)(?: card)? text\b|^personali[sz]ation$/

/** Whether a column holds notes of a customer, by its name: those of the staff are for nobody else. */
export function isNoteColumn(name: string): boolean {
  return note.test(name) && !internal.test(name)
}

/** Whether a note is one with a gift, and not for its driver. */
export function isGiftColumn(name: string): boolean {
  return /\b(?:gift|card|greeting|ribbon|dedication|personali[sz]ation|custom text)\b/.test(name)
}

/** Whether a cell says something, and not yes or no. */
export function isSaying(value: string): boolean {
  return /[\p{L}\d]/u.test(value) && !/^(?:yes|no|y|n|true|false|0|none|n\/?a|nil|null|-+)$/i.test(value)
}

/** What a column is not about if it is about the delivery: who pays, and where the order comes from. */
export const elsewhere = String.raw`(?!.*\b(?:bill(?:ing|ed)?|buyer|payer|purchaser|fax|stores?|shop|sender|shipper|consignor|pick ?up|collection|return|origin|from|driver|courier|carrier|dispatcher|restaurants?|merchant|vendor|supplier|seller|sold by|warehouse|depot|hub|kitchen|branch|outlet|franchise|pharmacy|prescriber|doctor|physician|florist|sales ?(?:rep|person|man)|rep|agent|manager|staff|employee|cashier|server|emergency|remit|rechnung\w*|absender|abhol\w*|facturacion|facturation|fatturazione|remitente|expediteur|mittente|afzender|factuur\w*)\b)`

/** The parts of an address by the names of their columns, as `readName` reads them. */
export const addressColumns = {
  street: new RegExp(
    String.raw`^${elsewhere}(?!.*\b(?:email|e mail|web|ip|mac)\b).*\b(?:street|address|addr|where|destination|location address|strasse|str|anschrift|direccion|calle|domicilio|adresse|rue|indirizzo|via|adres|straat)(?:(?: line)? ?(?:1|one))?$`,
  ),
  unit: new RegExp(
    String.raw`^${elsewhere}(?!.*\b(?:weight|price|currency|measure\w*|tax|total|per|cost|quantity|qty|items?|business|time)\b).*(?:\b(?:address|addr|street|line|direccion|adresse)(?: line)? ?(?:2|two|3|three)|\b(?:apt|apartment|suite|ste|unit|floor|building|bldg|room|rm|lot|apt suite(?: etc)?|adresszusatz|zusatz|complement(?: d.adresse)?|departamento|piso)(?: ?(?:no|number|#))?)$`,
  ),
  city: new RegExp(
    String.raw`^${elsewhere}.*\b(?:city|town|city town|town city|ort|stadt|wohnort|ciudad|ville|citta|plaats|stad|cidade)(?: name)?$`,
  ),
  /** Names of a city that are used for a part of one too, where the sheet has no column of the name city. */
  otherCity: new RegExp(
    String.raw`^${elsewhere}.*\b(?:suburb|locality|municipality|township|village|borough|post(?:al)? town|district|gemeinde|gemeente|localita|comune|localidad|poblacion|municipio|comuna|commune|bairro)(?: name)?$`,
  ),
  state: new RegExp(
    String.raw`^${elsewhere}(?!.*\border )(?:.*\b(?:state|province|region|bundesstaat|bundesland|estado|etat|provincia|provincie)(?: code)?|st)$`,
  ),
  postalCode: new RegExp(
    String.raw`^${elsewhere}.*\b(?:zip|postal|postcode|zipcode|plz|postleitzahl|codigo postal|code postal|cap|cp)(?: ?code)?$`,
  ),
}

/** Whether a column holds the city of an address, whatever its name for it. */
export function isCityColumn(name: string): boolean {
  const read = readName(name)
  return addressColumns.city.test(read) || addressColumns.otherCity.test(read)
}

/** Whether a column holds what stands behind the city of an address. */
export function isStateOrPostalCode(name: string): boolean {
  const read = readName(name)
  return addressColumns.state.test(read) || addressColumns.postalCode.test(read)
}

/** The name of a column as these read it: `customerMessage`, `shipping_suburb`, `Checkout Form: Note to driver`. */
export function readName(name: string): string {
  return foldedText(trimmed(name).replace(/(?<=[a-z\d])(?=[A-Z])/g, ' '))
    .replace(/ \(\d+\)$/, '')
    .replace(/[_\-./#:()*?]+/g, (marks) => (marks.includes('#') ? ' # ' : ' '))
    .replace(/\s+/g, ' ')
    .trim()
    .replace(formName, '')
}

/** The name of the form in which a shop asked for a field. */
const formName = /^(?:checkout form|custom fields?|form fields?|order form|note attributes?) (?=.)/
