import { z } from 'zod'
import { limits } from './limits.js'
import { openObject } from './primitives.js'

/** A page of a list: its items under `name`, and `nextCursor`, which is null on the last page. */
export function Page<const Name extends string, Item extends z.ZodType>(name: Name, item: Item) {
  const shape = { [name]: z.array(item) } as { [K in Name]: z.ZodArray<Item> }
  return openObject({ ...shape, nextCursor: z.string().nullish() })
}

/** Query parameters of every paged operation. */
export const pageQuery = {
  cursor: z.string().min(1).optional(),
  limit: z.int().min(limits.pageSizeMin).max(limits.pageSizeMax).optional(),
}
