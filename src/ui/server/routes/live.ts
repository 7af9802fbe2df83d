import type { LiveBacklog } from '../../wire/live.js'
import { Refused, type Route } from '../route.js'

/** More than a page keeps. */
const pageItems = 2_000

export const liveRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/live',
    handle({ feed, query }): LiveBacklog {
      const after = Number(query.get('after') ?? 0)
      return { items: feed.after(after)?.slice(-pageItems) ?? feed.backlog().slice(-pageItems), lastId: feed.lastId }
    },
  },
  {
    method: 'GET',
    path: '/requests/:number',
    async handle({ backend, parameters }) {
      const number = Number(parameters.number)
      const before = Math.max(0, number - 1)
      const changes = (await backend.control?.('GET', `/changes?requests=${before}&limit=1`)) as
        | { requests: { number: number }[] }
        | undefined
      const request = changes?.requests.find((logged) => logged.number === number)
      if (request === undefined)
        throw new Refused(404, 'NOT_FOUND', 'This request is no longer in the log, which holds the last 200.')
      return request
    },
  },
]
