import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type { LiveItem } from '../../wire/live.js'
import { readEach, shownAccounts } from '../state/accounts.js'
import { Failed } from '../state/api.js'
import { onNews, reading } from '../state/live.js'
import { clearReadingFailure, sayFailure } from '../state/messages.js'

/**
 * Reads something when a component is shown, on request, and when the service can be read again after it failed. What
 * was read before stays until then.
 */
export function useLoaded<Value>(read: () => Promise<Value>, keys: readonly unknown[]) {
  const [value, setValue] = useState<Value | undefined>(undefined)
  const [isMissing, setMissing] = useState(false)
  const run = useRef(0)
  const shown = useRef(0)
  const hasFailed = useRef(false)
  const reload = useCallback(async () => {
    const mine = ++run.current
    try {
      const loaded = await read()
      // Shown although a newer one is on its way: where reading is slow, news keep one on its way.
      if (mine <= shown.current) return
      shown.current = mine
      setValue(loaded)
      setMissing(false)
      if (hasFailed.current) clearReadingFailure()
      hasFailed.current = false
    } catch (error) {
      if (mine !== run.current) return
      if (error instanceof Failed && error.status === 404) return setMissing(true)
      hasFailed.current = true
      sayFailure(error, true)
    }
  }, keys)
  useEffect(() => {
    void reload()
    const stop = reading.subscribe(({ failed }) => {
      if (failed === undefined && hasFailed.current) void reload()
    })
    return () => {
      stop()
      shown.current = ++run.current
    }
  }, [reload])
  return { value, isMissing, reload }
}

/**
 * Reads something of each account that is shown. What one answers is there before a slow one has answered, and one that
 * fails is named.
 */
export function useEach<Value>(read: (account: string | undefined) => Promise<Value>, keys: readonly unknown[]) {
  const shown = shownAccounts.value
  const [values, setValues] = useState<ReadonlyMap<string | undefined, Value>>(new Map())
  const newest = useRef(values)
  const { value, reload } = useLoaded(async () => {
    await readEach(async (account) => {
      const one = await read(account)
      newest.current = new Map(newest.current).set(account, one)
      setValues(newest.current)
    })
    return true
  }, [...keys, shown.join()])
  const answered = shown.flatMap((account) => {
    const one = values.get(account)
    return one === undefined ? [] : [[account, one] as const]
  })
  return { answered, isRead: value === true || answered.length > 0, reload }
}

/** News that come closer together than this are read once. */
const pauseMs = 250
/** Reading rests this many times as long as it took: in a flood, what is slow to read must not slow down the rest. */
const restFactor = 4

/** Reads again after news that concern a screen. */
export function useReloads(reload: () => Promise<void>, concerns: (item: LiveItem) => boolean): void {
  useEffect(() => {
    let timer: number | undefined
    let isDue = false
    let isReading = false
    let isOver = false
    let restUntilMs = 0
    const plan = () => {
      if (isOver || !isDue || isReading || timer !== undefined) return
      timer = window.setTimeout(() => void read(), Math.max(pauseMs, restUntilMs - performance.now()))
    }
    const read = async () => {
      timer = undefined
      isDue = false
      isReading = true
      const startedMs = performance.now()
      await reload()
      const endedMs = performance.now()
      restUntilMs = endedMs + restFactor * (endedMs - startedMs)
      isReading = false
      plan()
    }
    const stop = onNews((news) => {
      isDue ||= news.some(concerns)
      plan()
    })
    return () => {
      stop()
      isOver = true
      clearTimeout(timer)
    }
  }, [reload])
}

/** A value as it was at most a second ago, so that what is drawn from it is drawn once a second. */
export function useEverySecond<Value>(value: Value): Value {
  const [shown, setShown] = useState(value)
  const newest = useRef(value)
  newest.current = value
  useEffect(() => {
    const timer = setInterval(() => setShown(newest.current), 1_000)
    return () => clearInterval(timer)
  }, [])
  return shown
}

/** The width of an element in pixels; 0 before it is known. */
export function useWidth<Framed extends HTMLElement>() {
  const frame = useRef<Framed>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const element = frame.current
    if (element === null) return
    const observer = new ResizeObserver(() => setWidth(Math.round(element.clientWidth)))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [frame, width] as const
}

/** Whether a media query matches now. */
export function useMedia(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches)
  useEffect(() => {
    const list = matchMedia(query)
    const read = () => setMatches(list.matches)
    read()
    list.addEventListener('change', read)
    return () => list.removeEventListener('change', read)
  }, [query])
  return matches
}

/** Posts to a route and reads the screen again; resolves with what to say, by default the answer's message. */
export type Act = <Answer = { message: string }>(
  path: string,
  body: object,
  say?: (answer: Answer) => string,
) => Promise<string>

/** @param post sends to the account that the screen, or a part of it, is about */
export function actThen(
  post: <Value>(path: string, body: object) => Promise<Value>,
  reload: () => Promise<unknown>,
): Act {
  return async (path, body, say) => {
    try {
      const answer = await post<never>(path, body)
      return say === undefined ? (answer as { message: string }).message : say(answer)
    } finally {
      await reload()
    }
  }
}
