/** Columns of an export and the fields that they are; `+` joins columns, and those with `?` are left out if missing. */
export interface KnownShop {
  name: string
  /** Columns that only this export has together. */
  signs: readonly string[]
  columns: readonly (readonly [columns: string, field: string])[]
}

/** Exports of orders as these programs name their columns. */
export const knownShops: readonly KnownShop[] = [
  {
    name: 'Shopify',
    signs: ['Financial Status', 'Lineitem quantity', 'Shipping Address1'],
    columns: [
      ['Name', 'clientOrderReference'],
      ['Shipping Name', 'dropoff.contactName'],
      ['Shipping Phone', 'dropoff.contactPhone'],
      ['Shipping Address1+Shipping Address2?+Shipping City+Shipping Province+Shipping Zip', 'dropoff.address'],
      ['Notes', 'dropoff.instructions'],
      ['Lineitem quantity', 'package.itemsCount'],
      ['Lineitem name', 'package.description'],
      ['Subtotal', 'package.valueCents:dollars'],
    ],
  },
  {
    name: 'WooCommerce',
    signs: ['Order Number', 'City (Shipping)', 'Postcode (Shipping)'],
    columns: [
      ['Order Number', 'clientOrderReference'],
      ['First Name (Shipping)+Last Name (Shipping)', 'dropoff.contactName'],
      ['Phone (Shipping)', 'dropoff.contactPhone'],
      ['Phone (Billing)', 'dropoff.contactPhone'],
      ['Address 1&2 (Shipping)+City (Shipping)+State Code (Shipping)+Postcode (Shipping)', 'dropoff.address'],
      [
        'Address 1 (Shipping)+Address 2 (Shipping)?+City (Shipping)+State Code (Shipping)+Postcode (Shipping)',
        'dropoff.address',
      ],
      ['Customer Note', 'dropoff.instructions'],
      ['Quantity (- Refund)', 'package.itemsCount'],
      ['Quantity', 'package.itemsCount'],
      ['Item Name', 'package.description'],
      ['Order Subtotal Amount', 'package.valueCents:dollars'],
    ],
  },
  {
    name: 'Etsy',
    signs: ['Sale Date', 'Ship City', 'Ship Zipcode'],
    columns: [
      ['Order ID', 'clientOrderReference'],
      ['Ship Name', 'dropoff.contactName'],
      ['Full Name', 'dropoff.contactName'],
      ['Street 1+Street 2?+Ship City+Ship State+Ship Zipcode', 'dropoff.address'],
      ['Ship Address1+Ship Address2?+Ship City+Ship State+Ship Zipcode', 'dropoff.address'],
      ['Number of Items', 'package.itemsCount'],
      ['Quantity', 'package.itemsCount'],
      ['Item Name', 'package.description'],
      ['Order Value', 'package.valueCents:dollars'],
    ],
  },
  {
    name: 'eBay',
    signs: ['Ship To Name', 'Ship To Address 1', 'Ship To Zip'],
    columns: [
      ['Order Number', 'clientOrderReference'],
      ['Sales Record Number', 'clientOrderReference'],
      ['Ship To Name', 'dropoff.contactName'],
      ['Ship To Phone', 'dropoff.contactPhone'],
      ['Ship To Address 1+Ship To Address 2?+Ship To City+Ship To State+Ship To Zip', 'dropoff.address'],
      ['Buyer Note', 'dropoff.instructions'],
      ['Quantity', 'package.itemsCount'],
      ['Item Title', 'package.description'],
      ['Sold For', 'package.valueCents:dollars'],
    ],
  },
  {
    name: 'Amazon',
    signs: ['order-id', 'recipient-name', 'ship-postal-code'],
    columns: [
      ['order-id', 'clientOrderReference'],
      ['recipient-name', 'dropoff.contactName'],
      ['ship-phone-number', 'dropoff.contactPhone'],
      ['buyer-phone-number', 'dropoff.contactPhone'],
      ['ship-address-1+ship-address-2?+ship-address-3?+ship-city+ship-state+ship-postal-code', 'dropoff.address'],
      ['delivery-Instructions', 'dropoff.instructions'],
      ['quantity-purchased', 'package.itemsCount'],
      ['product-name', 'package.description'],
      ['item-price', 'package.valueCents:dollars'],
    ],
  },
  {
    name: 'Square',
    signs: ['Recipient Name', 'Recipient Address', 'Recipient Postal Code'],
    columns: [
      ['Order', 'clientOrderReference'],
      ['Recipient Name', 'dropoff.contactName'],
      ['Recipient Phone', 'dropoff.contactPhone'],
      [
        'Recipient Address+Recipient Address 2?+Recipient City+Recipient Region+Recipient Postal Code',
        'dropoff.address',
      ],
      ['Fulfillment Note', 'dropoff.instructions'],
      ['Item Quantity', 'package.itemsCount'],
      ['Item Name', 'package.description'],
      ['Order Subtotal', 'package.valueCents:dollars'],
    ],
  },
  {
    name: 'Onfleet',
    signs: ['Recipient_Name', 'Recipient_Phone', 'Address_Line1'],
    columns: [
      ['Order_Number', 'clientOrderReference'],
      ['Recipient_Name', 'dropoff.contactName'],
      ['Recipient_Phone', 'dropoff.contactPhone'],
      ['Address_Line1+Address_Line2?+City/Town+State/Province+Postal_Code', 'dropoff.address'],
      ['Task_Details', 'dropoff.instructions'],
      ['Quantity', 'package.itemsCount'],
      ['completeAfter', 'timeWindows.dropoff.start'],
      ['completeBefore', 'timeWindows.dropoff.end'],
    ],
  },
]

/** Names of columns that no shop is known for, each with its field; the first that fits is taken. */
export const likelyNames: readonly (readonly [name: RegExp, field: string])[] = [
  [
    /^(?:sales )?(?:order|invoice|reference|ref|ticket|bestellung)(?: ?(?:no|number|id|nr|ref|reference|name|#))?$/,
    'clientOrderReference',
  ],
  [/^(?:store|location|pickup(?: store)?|shop)(?: (?:no|number|id|code|reference))?$/, 'pickup.storeReference'],
  [
    /^(?:(?:ship(?:ping)?|recipient|customer|contact|deliver(?:y)?|full|client)(?: to)?(?: full)? )?name$|^(?:customer|recipient|consignee|contact|client|deliver to|ship to)$/,
    'dropoff.contactName',
  ],
  [/^(?!.*(?:bill|fax|store|sender)).*\b(?:phone|mobile|cell|tel|telephone)\b/, 'dropoff.contactPhone'],
  [/^(?!.*bill).*\b(?:instructions?|notes?|comments?|remarks?)\b/, 'dropoff.instructions'],
  [/^(?:qty|quantity|items|pieces|item count|number of items|no of items|units)$/, 'package.itemsCount'],
  [/^(?:item|product)(?: name| title)?$|^(?:description|contents?|goods)$/, 'package.description'],
  [/^(?:(?:order |grand )?total|subtotal|(?:order |declared )?value|amount)\b/, 'package.valueCents'],
  [/^(?:tip|gratuity)\b/, 'tipAmountCents'],
  [/^weight\b/, 'package.weightGrams'],
  [
    /^(?:deliver(?:y)? |window |time |earliest )?(?:from|start|after|not before|earliest)(?: time)?$|^delivery time$/,
    'timeWindows.dropoff.start',
  ],
  [
    /^(?:deliver(?:y)? |window |time |latest )?(?:by|to|until|before|end|latest|deadline)(?: time)?$/,
    'timeWindows.dropoff.end',
  ],
]

/** The parts of an address, in their order. */
export const addressParts: readonly RegExp[] = [
  /^(?!.*(?:bill|email|e mail|web|ip\b)).*\b(?:street|address|addr|where|destination)(?:(?: line)? ?1)?$/,
  /^(?!.*bill).*(?:\b(?:address|addr|street)(?: line)? ?2|\b(?:apt|apartment|suite|unit))$/,
  /^(?!.*bill).*\b(?:city|town)$/,
  /^(?!.*bill).*\b(?:state|province|region)(?: code)?$/,
  /^(?!.*bill).*\b(?:zip|postal|postcode|zipcode)(?: ?code)?$/,
]
