import { expect, it } from 'vitest'
import { forwardQueue, Turns } from '../../src/listener/forward/queue.js'

const event = (seq: number) => ({ seq, id: `evt_${seq}`, lane: `del_${seq}` })

it('an event that was read out of the journal a moment before it is handed over goes once', async () => {
  const committed: number[] = []
  const sent: number[] = []
  const queue = forwardQueue({
    turns: new Turns(1),
    windowSize: 2,
    isSoleWriter: true,
    pending: async (held, limit) => {
      const free = committed
        .filter((seq) => !held.has(seq) && !sent.includes(seq))
        .slice(0, limit)
        .map(event)
      return { forwards: free, hasMore: free.length === limit }
    },
    async run({ seq }) {
      await Promise.resolve()
      sent.push(seq)
    },
    release: () => {},
    isStopping: () => false,
  })
  for (const seq of [1, 2, 3]) {
    committed.push(seq)
    queue.add(event(seq))
  }
  // On disk, and not handed over yet, while the window is refilled.
  committed.push(4)
  await queue.idle()
  queue.add(event(4))
  await queue.idle()
  expect(sent).toEqual([1, 2, 3, 4])
})
