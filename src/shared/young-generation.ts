import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** Garbage that is collected often enough not to be noticed, and in few enough rounds not to cost time. */
const enoughBytes = 16_777_216

/**
 * Keeps the heap's young generation from growing past 16 MB. Left alone, it grows to three times 32 MB in any long run,
 * though a run keeps nothing: for a program whose memory should stay small. It concerns the whole process, so the
 * program decides, not the run.
 */
export function capYoungGeneration(): void {
  const timer = setInterval(() => {
    const young = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')
    if (young !== undefined && young.space_size < enoughBytes) return
    setFlagsFromString('--semi-space-growth-factor=1')
    clearInterval(timer)
  }, 50)
  timer.unref()
}
