import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { Failed } from '../state/api.js'
import { sayFailure } from '../state/messages.js'

/** Reads something when a component is shown, and again on request. What was read before stays until then. */
export function useLoaded<Value>(read: () => Promise<Value>, keys: readonly unknown[]) {
  const [value, setValue] = useState<Value | undefined>(undefined)
  const [isMissing, setMissing] = useState(false)
  const run = useRef(0)
  const reload = useCallback(async () => {
    const mine = ++run.current
    try {
      const loaded = await read()
      if (mine !== run.current) return
      setValue(loaded)
      setMissing(false)
    } catch (error) {
      if (mine !== run.current) return
      if (error instanceof Failed && error.status === 404) setMissing(true)
      else sayFailure(error)
    }
  }, keys)
  useEffect(() => {
    void reload()
    return () => {
      run.current++
    }
  }, [reload])
  return { value, isMissing, reload }
}
