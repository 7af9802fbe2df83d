/** A longer word has this many stars. */
const mostStars = 12

/** `Sam Example` as `S** E******`: as many stars as letters, so that two people stay apart in a list. */
export function maskName(name: string): string {
  return name.replace(
    /(\S)(\S+)/gu,
    (_, first: string, rest: string) => first + '*'.repeat(Math.min([...rest].length, mostStars)),
  )
}

/** `+19105550199` as `+1*******199`: the country and the end, by which a support agent recognises it. */
export function maskPhone(phone: string): string {
  const digits = [...phone]
  if (digits.length <= 5) return '*'.repeat(digits.length)
  return digits.map((digit, index) => (index < 2 || index >= digits.length - 3 ? digit : '*')).join('')
}
