import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type { ListPage, ListRow } from '../../../wire/list.js'
import type { MissingAccount } from '../../../wire/session.js'
import { get } from '../../state/api.js'
import { onNews } from '../../state/live.js'
import { sayFailure } from '../../state/messages.js'

const pageRows = 300
/** The list is read again after news, at most this often. */
const refreshMs = 5_000

interface ReadPages {
  key: string
  rows: ListRow[]
  next: string | null
  total: number
  missing: readonly MissingAccount[]
}

/** Pages of the list, each read when it is asked for; after news, what was read is read again. */
export function usePages(query: Record<string, string> & { account?: string }) {
  const key = JSON.stringify(query)
  const [pages, setPages] = useState<ReadPages | undefined>()
  const isReading = useRef(false)
  const newest = useRef(pages)
  newest.current = pages
  const readPage = useCallback(
    async (after: string | undefined, limit: number) =>
      get<ListPage>(
        `/list?${new URLSearchParams({ ...query, limit: String(limit), ...(after === undefined ? {} : { after }) })}`,
      ),
    [key],
  )
  useEffect(() => {
    let isOver = false
    let timer: ReturnType<typeof setTimeout> | undefined
    let again: ReturnType<typeof setTimeout> | undefined
    const begin = async () => {
      try {
        const { rows: read, next, total, missing = [] } = await readPage(undefined, pageRows)
        const rows = read.map((row) => ({ ...row, account: row.account ?? query.account }))
        // One that was late may have answered by then.
        if (missing.length > 0 && !isOver) again = setTimeout(() => void begin(), refreshMs)
        const known = newest.current
        // Somebody who has read on is not sent back to the beginning.
        if (isOver || (known?.key === key && known.rows.length > pageRows)) return
        setPages({ key, rows, next, total: total ?? rows.length, missing })
      } catch (error) {
        if (!isOver) sayFailure(error, true)
      }
    }
    timer = setTimeout(() => void begin(), newest.current === undefined ? 0 : 120)
    let isDue = false
    const stop = onNews((news) => {
      if (isDue || !news.some(({ delivery }) => delivery !== undefined)) return
      isDue = true
      timer = setTimeout(() => {
        isDue = false
        void begin()
      }, refreshMs)
    })
    return () => {
      isOver = true
      clearTimeout(timer)
      clearTimeout(again)
      stop()
    }
  }, [key, readPage])
  const more = async () => {
    const known = newest.current
    if (isReading.current || known === undefined || known.next === null) return
    isReading.current = true
    try {
      const { rows: read, next } = await readPage(known.next, pageRows)
      const rows = read.map((row) => ({ ...row, account: row.account ?? query.account }))
      const now = newest.current
      if (now?.key !== known.key) return
      // In place: with 100,000 rows, a copy for each page is work for whole frames.
      now.rows.push(...rows)
      setPages({ ...now, next })
    } catch (error) {
      sayFailure(error)
    } finally {
      isReading.current = false
    }
  }
  return {
    rows: pages?.rows ?? [],
    total: pages?.total ?? 0,
    missing: pages?.missing ?? [],
    isRead: pages !== undefined,
    isEnd: pages?.next === null,
    more: () => void more(),
  }
}
