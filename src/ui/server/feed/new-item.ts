import type { LiveItem } from '../../wire/live.js'

/** A line before the feed has given it an id. */
export type NewItem = Omit<LiveItem, 'id'>
