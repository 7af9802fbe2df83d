import { describe, expect, it } from 'vitest'
import { readJournal } from '../../src/listener/index.js'
import { verdictReasons } from '../../src/webhooks/index.js'
import { sendRaw } from '../support/listener/raw-request.js'
import { launchListener } from '../support/listener/test-listener.js'
import { vectorSecret, vectors } from '../support/webhooks/verdict-vectors.js'

const nowMs = 1_772_463_600_000
const overHttp = vectors.filter((vector) => vector.overHttp !== false)

describe('the listener', () => {
  it.each(
    overHttp.map((vector) => [vector.title, vector] as const),
  )('answers %s as the scheme wants', async (_, vector) => {
    const secrets = (vector.secrets ?? [vectorSecret]).map((secret, index) => ({ name: `secret ${index + 1}`, secret }))
    const listener = await launchListener({ secrets, now: () => nowMs })
    const request = vector.build(nowMs / 1000)
    const answer = await sendRaw(listener.url, { ...request, chunked: vector.chunked ?? false })
    const accepted = vector.verdict === 'accepted'
    const reason = accepted ? undefined : (vector.verdict as keyof typeof verdictReasons)
    expect(answer.status).toBe(vector.status ?? (reason === undefined ? 200 : verdictReasons[reason]))
    const isKept = answer.status === 200
    expect(listener.recordsOf('event')).toHaveLength(isKept ? 1 : 0)
    expect(listener.recordsOf('rejected')).toHaveLength(isKept ? 0 : 1)
    await listener.close()
    const journal = await readJournal(listener.journalFile)
    const kept = await Array.fromAsync(journal.list())
    await journal.close()
    expect(kept.map((event) => Buffer.from(event.body))).toEqual(isKept ? [request.body] : [])
  })
})
