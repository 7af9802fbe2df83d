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

it('events beyond the window are read out of the journal in their order, also those that come while it is read', async () => {
  const lane = 'del_1'
  const committed: number[] = []
  const [sent, read]: [number[], number[]] = [[], []]
  let meanwhile = () => {}
  const queue = forwardQueue({
    turns: new Turns(1),
    windowSize: 2,
    isSoleWriter: true,
    pending: async (held, limit) => {
      const free = committed.filter((seq) => !held.has(seq) && !sent.includes(seq)).slice(0, limit)
      meanwhile()
      await Promise.resolve()
      read.push(...free)
      return { forwards: free.map((seq) => ({ ...event(seq), lane })), hasMore: free.length === limit }
    },
    async run({ seq }) {
      await Promise.resolve()
      sent.push(seq)
    },
    release: () => {},
    isStopping: () => false,
  })
  await queue.idle()
  const arrive = (seq: number) => {
    committed.push(seq)
    queue.add({ ...event(seq), lane })
  }
  for (const seq of [1, 2, 3]) arrive(seq)
  meanwhile = () => {
    meanwhile = () => {}
    arrive(4)
  }
  await queue.idle()
  expect(sent).toEqual([1, 2, 3, 4])
  expect(read).toEqual([3, 4])
})
