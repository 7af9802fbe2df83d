/** The ways in which services count requests, in virtual time. */
interface LimiterVerdict {
  isAllowed: boolean
  remaining: number
  resetSeconds: number
}
export type Limiter = (nowMs: number) => LimiterVerdict

/** `quota` in each window that begins at a whole multiple of its length. */
export function fixedWindow(quota: number, windowMs: number, offsetMs = 0): Limiter {
  let windowStart = Number.NEGATIVE_INFINITY
  let used = 0
  return (nowMs) => {
    const start = Math.floor((nowMs + offsetMs) / windowMs) * windowMs
    if (start !== windowStart) used = 0
    windowStart = start
    const isAllowed = used < quota
    if (isAllowed) used++
    return { isAllowed, remaining: quota - used, resetSeconds: (start + windowMs - nowMs - offsetMs) / 1_000 }
  }
}

/** Never more than `quota` in any window, refused requests not counted. */
export function slidingWindow(quota: number, windowMs: number): Limiter {
  let times: number[] = []
  return (nowMs) => {
    times = times.filter((time) => time > nowMs - windowMs)
    const isAllowed = times.length < quota
    if (isAllowed) times.push(nowMs)
    return {
      isAllowed,
      remaining: quota - times.length,
      resetSeconds: ((times[0] ?? nowMs) + windowMs - nowMs) / 1_000,
    }
  }
}

/** A bucket of `quota` that fills evenly. */
export function tokenBucket(quota: number, windowMs: number): Limiter {
  let tokens = quota
  let lastMs = 0
  return (nowMs) => {
    tokens = Math.min(quota, tokens + ((nowMs - lastMs) * quota) / windowMs)
    lastMs = nowMs
    const isAllowed = tokens >= 1
    if (isAllowed) tokens--
    return {
      isAllowed,
      remaining: Math.floor(tokens),
      resetSeconds: tokens >= 1 ? 0 : ((1 - tokens) * windowMs) / quota / 1_000,
    }
  }
}
