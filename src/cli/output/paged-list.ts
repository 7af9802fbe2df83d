import { Flags, type Interfaces } from '@oclif/core'
import { limits, UsageError } from '../../contract/index.js'
import type { View } from '../../render/view.js'
import { capYoungGeneration } from '../../shared/young-generation.js'
import type { Notices } from './notices.js'
import type { Output } from './output.js'

/** Flags of every list that comes in pages. */
export const listFlags = {
  limit: Flags.integer({
    char: 'l',
    summary: `Maximum number of results (default ${limits.pageSizeDefault})`,
    helpValue: 'N',
  }),
  all: Flags.boolean({ char: 'a', summary: 'All results', exclusive: ['limit'] }),
}

type ListFlags = Interfaces.InferredFlags<typeof listFlags>

/**
 * Prints a paged list up to `--limit`, or all of it, as the pages come. `open` starts it with a page size; `rowsOf`
 * takes the rows out of a page.
 */
export async function listed<Page extends { nextCursor?: string | null | undefined }, Row>(
  output: Output,
  notices: Notices,
  view: View<Row[]>,
  flags: ListFlags,
  open: (pageSize: number) => AsyncIterable<Page>,
  rowsOf: (page: Page) => readonly Row[],
): Promise<void> {
  const most = flags.all ? Number.POSITIVE_INFINITY : (flags.limit ?? limits.pageSizeDefault)
  if (most < 1) throw new UsageError(`--limit must be at least 1, got ${most}.`)
  if (most > limits.pageSizeMax) capYoungGeneration()
  let isCut = false
  const rows = async function* () {
    let count = 0
    for await (const page of open(Math.min(most, limits.pageSizeMax))) {
      for (const row of rowsOf(page)) {
        if (count >= most) {
          isCut = true
          return
        }
        count++
        yield row
      }
      if (count >= most) {
        isCut = page.nextCursor != null
        return
      }
    }
  }
  await output.stream(view, rows())
  if (isCut && flags.limit === undefined) notices.notice(`Showing the first ${most}; use --all for the rest.`)
}
