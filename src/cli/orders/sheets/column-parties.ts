import { addressColumns, readName } from '../../../shared/sheet-columns.js'
import type { Table } from './map-columns.js'

const recipientWords =
  /(?:\b(?:ship|shipping|deliver|delivery|delivered|drop ?off|recipients?|receiver|consignee|addressee|destination|liefer\w*|empfanger\w*|empfaenger\w*|destinatario|destinataire|entrega|livraison|consegna|ontvanger)\b|(?<!\b(?:bill|sold|paid|charged|invoiced?) )\bto\b)(?: to\b)?/

/** Those who order, and are mostly those who receive. */
const customerWords =
  /\b(?:customer|cust|client|guest|member|patient|resident|student|contact|kunde|cliente|klant|ordered by)\b/

const partWords =
  /\b(?:street|address|addr|name|first|last|given|family|sur|full|phone|mobile|cell|cellular|tel|telephone|number|num|no|nr|id|line|city|town|suburb|state|province|region|zip|zipcode|postal|postcode|code|apt|apartment|suite|ste|unit|floor|building|bldg|room|rm|lot|one|two|three|primary|main|physical|e ?164|us|usa|local|raw|formatted|\d+)\b|#/g

/** Whose a column is: the words of its name that are no part of an address, a name or a phone. */
export function partyOf(name: string): string {
  return readName(name)
    .replace(new RegExp(recipientWords, 'g'), 'recipient')
    .replace(partWords, ' ')
    .replace(/\s+/g, ' ')
    .replace(/\b(recipient)(?: recipient)+\b/g, '$1')
    .trim()
}

/** Where mail goes, or went: no driver does, if there is another address. */
const mailWords = /\b(?:mailing|mail|postal address|legal|registered|permanent|previous|former|old)\b/

/** How surely a column is about who receives: by its name (0), by having no other (1), who orders (2), somebody (3), their mail (4). */
function partyRank(name: string): number {
  const read = readName(name)
  if (recipientWords.test(read)) return 0
  if (mailWords.test(read)) return 4
  if (partyOf(name) === '') return 1
  return customerWords.test(read) ? 2 : 3
}

/** The columns of one of some forms, with those of the recipient first, then in the order of the forms. */
export function byParty(
  table: Table,
  forms: readonly RegExp[],
  isFree: (name: string) => boolean,
  party?: string,
): string[] {
  const found = forms.flatMap((form) => table.allNamed(form, isFree))
  // Of who receives it, or of nobody in particular.
  const distance = (name: string) => (party === undefined ? 0 : [party, ''].indexOf(partyOf(name)) >>> 0)
  return [...new Set(found)].sort((one, other) => distance(one) - distance(other) || partyRank(one) - partyRank(other))
}

/** The column of the streets that orders go to, or all of them if the sheet does not say which is meant. */
export function streetOf(table: Table, isFree: (name: string) => boolean): { street?: string; rivals: string[] } {
  const [first, ...others] = byParty(table, [addressColumns.street], isFree)
  if (first === undefined) return { rivals: [] }
  const rank = partyRank(first)
  const isElsewhere = (name: string) =>
    partyOf(name) !== partyOf(first) &&
    table.rows.some((row) => {
      const [one, other] = [table.at(row, first), table.at(row, name)].map((cell) => cell.toLowerCase())
      return one !== '' && other !== '' && !one?.includes(other ?? '') && !other?.includes(one ?? '')
    })
  // `Address` is the order's own beside that of anybody else, but not beside a customer's.
  const rivals = others.filter(
    (name) =>
      (rank === 4 || partyRank(name) < 4) &&
      (rank > 1 || partyRank(name) === rank || (rank === 1 && partyRank(name) === 2)) &&
      isElsewhere(name),
  )
  return rivals.length > 0 ? { rivals: [first, ...rivals] } : { street: first, rivals }
}

/** Whether a column is surely of who receives. */
export function isOfRecipient(name: string): boolean {
  return partyRank(name) === 0
}
