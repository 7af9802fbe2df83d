import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/**
 * Keeps the heap's young generation from growing past a size: small enough that each collection is not noticed, and large
 * enough that there are few of them. Without this it grows to three times 32 MB in any long run, although a run retains
 * nothing. For programs whose memory should stay small. It affects the whole process, so the program decides, not the run.
 */
export function capYoungGeneration(enoughBytes = 16_777_216): void {
  const timer = setInterval(() => {
    const young = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')
    if (young !== undefined && young.space_size < enoughBytes) return
    setFlagsFromString('--semi-space-growth-factor=1')
    clearInterval(timer)
  }, 50)
  timer.unref()
}

/** Collects all garbage whenever the heap has grown by this much, for a run that retains little and makes much. */
export function capGarbage(growthPercent = 33): void {
  setFlagsFromString(`--heap-growing-percent=${growthPercent}`)
}
