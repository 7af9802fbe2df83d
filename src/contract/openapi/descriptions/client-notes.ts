/** What callers of a method should know beyond what the document says of the operation. */
export const operationNotes: Readonly<Record<string, string>> = {
  createDelivery:
    'Without `idempotencyKey` the key follows from the order: the same order sent again is answered with the same delivery. ' +
    'Lost responses are healed by sending the request again with the same key.',
  updateDelivery: 'If the response is lost, the delivery is read and compared before anything is sent again.',
  simulateDelivery: 'If the response is lost, the delivery is read and compared before anything is sent again.',
}

/** What the client does where no idempotency key is given. */
export const keyNotes: Readonly<Record<string, string>> = {
  createDelivery: 'The client derives it from the order if it is absent.',
  cancelDelivery: 'The client makes a new one if it is absent.',
}
