/**
 * What a person does after importing the collection: enter the API key, take a delivery of their own, switch off the query
 * parameters that are not meant. And a test on every request: it has to succeed.
 */
export function prepared(collection) {
  return {
    ...collection,
    auth: { type: 'bearer', bearer: [{ type: 'string', key: 'token', value: '{{apiKey}}' }] },
    event: [script('prerequest', ownDelivery), script('test', success)],
    item: collection.item.map(preparedItem),
  }
}

/** A cursor holds only for the list that it came from. */
const notMeant = ['cursor']

function preparedItem(item) {
  if (item.item !== undefined) return { ...item, item: item.item.map(preparedItem) }
  const { url } = item.request
  const query = url.query?.map((one) => ({ ...one, disabled: notMeant.includes(one.key) }))
  const variable = url.variable?.map((one) => (one.key === 'deliveryId' ? { ...one, value: '{{deliveryId}}' } : one))
  return { ...item, request: { ...item.request, url: { ...url, query, variable } } }
}

function script(listen, body) {
  return { listen, script: { type: 'text/javascript', exec: body.split('\n') } }
}

const ownDelivery = `
const needsDelivery = pm.request.url.variables.has('deliveryId')
if (needsDelivery) {
  const reference = 'NEWMAN-' + pm.variables.replaceIn('{{$guid}}')
  pm.sendRequest({
    url: pm.variables.get('baseUrl') + '/deliveries',
    method: 'POST',
    header: {
      Authorization: 'Bearer ' + pm.variables.get('apiKey'),
      'Content-Type': 'application/json',
      'Idempotency-Key': reference,
    },
    body: {
      mode: 'raw',
      raw: JSON.stringify({
        clientOrderReference: reference,
        pickup: { storeReference: 'STORE-001' },
        dropoff: {
          address: '200 Hay Street, Fayetteville, NC 28301',
          contactName: 'Maya Reyes',
          contactPhone: '+19105550142',
        },
      }),
    },
  }, (error, response) => pm.variables.set('deliveryId', error ? 'none' : response.json().deliveryId))
}`

const success = `
pm.test(pm.info.requestName + ' succeeds', () => pm.expect(pm.response.code, pm.response.text()).to.be.within(200, 299))`
