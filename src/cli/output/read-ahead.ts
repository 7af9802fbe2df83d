import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * The same pages. If the next one is wanted, it is requested before a page is handed on, so that it is on its way while
 * the page is printed. It is never more than one ahead, and its failure counts once the pages before it are printed.
 */
export async function* readAhead<Page>(
  pages: AsyncIterable<Page>,
  isNextWanted: (page: Page) => boolean,
): AsyncGenerator<Page> {
  const source = pages[Symbol.asyncIterator]()
  try {
    for (let asked: Promise<IteratorResult<Page>> | undefined; ; ) {
      const { done, value } = await (asked ?? source.next())
      if (done === true) return
      asked = undefined
      if (isNextWanted(value)) {
        asked = source.next()
        asked.catch(() => undefined)
        await hasLeft()
      }
      yield value
    }
  } finally {
    // It may wait for a response; nobody else does.
    source.return?.(undefined).catch(() => undefined)
  }
}

/** undici looks at a connection for a turn of the event loop before it sends on it again; printing would hold that up. */
async function hasLeft(): Promise<void> {
  await nextTurn()
  await nextTurn()
}
