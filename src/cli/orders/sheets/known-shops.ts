/** Columns of an export and the fields that they are; `+` joins columns, and those with `?` are left out if missing. */
export interface KnownShop {
  name: string
  /** Columns that only this export has together. */
  signs: readonly string[]
  columns: readonly (readonly [columns: string, field: string])[]
  /** Values of columns whose orders are not to be delivered, or no more; `*` is any value. */
  leaveOut?: Readonly<Record<string, readonly string[]>>
}

/** Exports of orders as these programs name their columns. */
export const knownShops: readonly KnownShop[] = [
  {
    name: 'Shopify',
    signs: ['Financial Status', 'Lineitem quantity', 'Shipping Address1'],
    leaveOut: {
      'Financial Status': ['refunded', 'voided', 'expired'],
      'Fulfillment Status': ['fulfilled'],
      'Cancelled at': ['*'],
    },
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
    leaveOut: { 'Order Status': ['cancelled', 'refunded', 'failed', 'completed', 'trash'] },
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
      ['Name', 'package.description'],
      ['Order Subtotal Amount', 'package.valueCents:dollars'],
    ],
  },
  {
    name: 'Etsy',
    signs: ['Sale Date', 'Ship City', 'Ship Zipcode'],
    leaveOut: { Status: ['cancelled', 'canceled'], 'Date Shipped': ['*'] },
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
    leaveOut: { 'Shipped On Date': ['*'] },
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
    leaveOut: { 'quantity-to-ship': ['0'] },
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
    leaveOut: {
      'Fulfillment Type': ['pickup', 'in-store', 'digital'],
      'Fulfillment Status': ['completed', 'cancelled', 'failed', 'shipped', 'delivered'],
    },
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
    name: 'BigCommerce',
    signs: ['Order ID', 'Shipping Street 1', 'Shipping Suburb'],
    leaveOut: {
      'Order Status': [
        'Awaiting Pickup',
        'Cancelled',
        'Refunded',
        'Declined',
        'Disputed',
        'Shipped',
        'Completed',
        'Incomplete',
      ],
    },
    columns: [
      ['Order ID', 'clientOrderReference'],
      ['Shipping Name', 'dropoff.contactName'],
      ['Shipping First Name+Shipping Last Name', 'dropoff.contactName'],
      ['Shipping Phone', 'dropoff.contactPhone'],
      ['Shipping Street 1+Shipping Street 2?+Shipping Suburb+Shipping State?+Shipping Zip', 'dropoff.address'],
      ['Customer Message', 'dropoff.instructions'],
      ['Total Quantity', 'package.itemsCount'],
      ['Subtotal (ex tax)', 'package.valueCents:dollars'],
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
  {
    name: 'DoorDash Drive',
    signs: ['external_delivery_id', 'dropoff_address', 'dropoff_phone_number'],
    columns: [
      ['external_delivery_id', 'clientOrderReference'],
      ['pickup_external_store_id', 'pickup.storeReference'],
      ['dropoff_contact_given_name+dropoff_contact_family_name?', 'dropoff.contactName'],
      ['dropoff_phone_number', 'dropoff.contactPhone'],
      ['dropoff_address', 'dropoff.address'],
      ['dropoff_instructions', 'dropoff.instructions'],
      ['order_value', 'package.valueCents:cents'],
      ['tip', 'tipAmountCents:cents'],
      ['dropoff_window_start_time', 'timeWindows.dropoff.start'],
      ['dropoff_window_end_time', 'timeWindows.dropoff.end'],
    ],
  },
  {
    name: 'Uber Direct',
    signs: ['dropoff_name', 'dropoff_address', 'dropoff_phone_number'],
    columns: [
      ['external_id', 'clientOrderReference'],
      ['external_store_id', 'pickup.storeReference'],
      ['dropoff_name', 'dropoff.contactName'],
      ['dropoff_phone_number', 'dropoff.contactPhone'],
      ['dropoff_address', 'dropoff.address'],
      ['dropoff_notes', 'dropoff.instructions'],
      ['manifest_total_value', 'package.valueCents:cents'],
      ['tip', 'tipAmountCents:cents'],
      ['dropoff_ready_dt', 'timeWindows.dropoff.start'],
      ['dropoff_deadline_dt', 'timeWindows.dropoff.end'],
    ],
  },
]
