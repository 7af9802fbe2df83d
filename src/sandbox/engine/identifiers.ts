import { randomBytes } from 'node:crypto'

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const RANDOM_LENGTH = 16

/** Gives numbers in [0, 32): five random bits at a time. */
type FiveBits = () => number

/** Identifiers of 26 characters after their prefix: ten for the millisecond, sixteen at random; they sort by time. */
export class Identifiers {
  constructor(private readonly fiveBits: FiveBits = cryptoBits()) {}

  next(prefix: string, nowMs: number): string {
    let time = ''
    let rest = Math.max(0, nowMs)
    for (let place = 0; place < 10; place++) {
      time = alphabet.charAt(rest % 32) + time
      rest = Math.floor(rest / 32)
    }
    let random = ''
    for (let place = 0; place < RANDOM_LENGTH; place++) random += alphabet.charAt(this.fiveBits())
    return `${prefix}_${time}${random}`
  }
}

function cryptoBits(): FiveBits {
  let pool = randomBytes(0)
  let used = 0
  return () => {
    if (used === pool.length) {
      pool = randomBytes(4096)
      used = 0
    }
    return (pool[used++] ?? 0) & 31
  }
}
