import { describe, expect, it } from 'vitest'
import { jsonElements, jsonMembers, readListedEvents } from '../../src/webhooks/listed-events.js'
import { fc } from '../support/samples.js'

/** JSON printed in one of the many ways that mean the same. */
function printed(value: unknown, space: string, escaped: boolean): string {
  const text =
    typeof value !== 'object' || value === null
      ? JSON.stringify(value)
      : Array.isArray(value)
        ? `[${value.map((one) => `${space}${printed(one, space, escaped)}${space}`).join(',')}]`
        : `{${Object.entries(value)
            .map(
              ([name, one]) =>
                `${space}${JSON.stringify(name)}${space}:${space}${printed(one, space, escaped)}${space}`,
            )
            .join(',')}}`
  return escaped
    ? text.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    : text
}

const anyJson = fc.jsonValue({ maxDepth: 4 })
const anyPrint = fc.record({ space: fc.constantFrom('', ' ', '\n\t', '\r\n  '), escaped: fc.boolean() })

describe('slices of JSON', () => {
  it('are the very text of each member and element, however it is printed', () => {
    fc.assert(
      fc.property(
        fc.array(anyJson),
        fc.dictionary(fc.string(), anyJson),
        anyPrint,
        (list, object, { space, escaped }) => {
          const texts = list.map((value) => printed(value, space, escaped))
          const bytes = Buffer.from(`${space}[${texts.join(`${space},${space}`)}]${space}`)
          expect(jsonElements(bytes)?.map(String)).toEqual(texts)
          const members = new Map(Object.entries(object).map(([name, value]) => [name, printed(value, space, escaped)]))
          const objectText = `{${[...members].map(([name, text]) => `${space}${JSON.stringify(name)} :${space}${text}`).join(',')}${space}}`
          const found = jsonMembers(Buffer.from(objectText))
          expect([...(found ?? [])].map(([name, slice]) => [name, String(slice)])).toEqual([...members])
        },
      ),
    )
  })
})

describe('events of a list', () => {
  const page = (events: string) => {
    const { events: listed } = readListedEvents(Buffer.from(`{"nextCursor":null, "events": [${events}]}`))
    return listed.map(({ body, problem }) => (body === undefined ? problem : Buffer.from(body).toString()))
  }
  const record =
    '"eventId":"evt_1","eventType":"delivery.accepted","occurredAt":"2026-03-02T15:00:00.000Z","livemode":false'

  it('have the bytes of their webhooks: spaces, escapes, numbers and the order of members', () => {
    const data = '{"10":1.0, "9": 1e2,"eventId" :"evt_1","note":"caf\\u00e9 \\/ \u00fc","big":12345678901234567890}'
    expect(page(`{${record}, "data" : ${data} }, {"data":{"eventId":"evt_2"},${record}}`)).toEqual([
      data,
      '{"eventId":"evt_2"}',
    ])
  })

  it('get their envelope where the list holds the payload alone', () => {
    expect(page(`{${record},"data":{"delivery":{"deliveryId":"del_1"}}}`)).toEqual([
      `{${record},"delivery":{"deliveryId":"del_1"}}`,
    ])
  })

  it('are read one by one: a bad record says what ails it, and the others are there', () => {
    const deep = `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`
    const text = `{"nextCursor":"more","events":[{${record}},{${record},"data":${deep}},{"data":{}},null,7,{${record},"data":[1]},{${record},"data":{"eventId":"evt_1"}}]}`
    const { events, nameless, nextCursor } = readListedEvents(Buffer.from(text))
    expect(events.map(({ problem }) => problem)).toEqual([
      'has no data',
      'has data that is nested deeper than 200 levels',
      'has data that is not an object',
      undefined,
    ])
    expect([nameless.length, nextCursor]).toEqual([3, 'more'])
  })

  it.each(['', '{"events": [', '[]', '{"events":{}}', '{}'])('are none in the page %s, which is said', (text) => {
    expect(() => readListedEvents(Buffer.from(text))).toThrow(/must be a JSON object|must be a list/)
  })
})
