/** An order that goes by itself, fast. */
export const order = (reference) => ({
  clientOrderReference: reference,
  pickup: { storeReference: 'STORE-001' },
  dropoff: {
    address: '418 Ramsey Street, Fayetteville, NC 28301',
    contactName: 'Dana Whitfield',
    contactPhone: '+19105550147',
  },
  metadata: { sandbox_pace: 'robo' },
})
