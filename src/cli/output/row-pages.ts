const pageRows = 100

/**
 * Rows in pages of 100. A page that takes longer than `maxAgeMs` to fill is yielded as it is, and so is the one that an
 * error cuts short.
 */
export async function* inPages<Row>(
  rows: AsyncIterable<Row>,
  maxAgeMs = Number.POSITIVE_INFINITY,
): AsyncGenerator<Row[]> {
  let page: Row[] = []
  let startedMs = performance.now()
  try {
    for await (const row of rows) {
      page.push(row)
      if (page.length < pageRows && performance.now() - startedMs < maxAgeMs) continue
      yield page
      page = []
      startedMs = performance.now()
    }
  } catch (error) {
    if (page.length > 0) yield page
    throw error
  }
  if (page.length > 0) yield page
}
