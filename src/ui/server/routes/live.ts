import type { LiveBacklog } from '../../wire/live.js'
import type { Route } from '../route.js'

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
]
