const units = ['bytes', 'kB', 'MB', 'GB'] as const

/** A number of bytes: `820 bytes`, `660 kB`, `1.2 MB`. */
export function sizeText(bytes: number): string {
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)))
  const value = bytes / 1_000 ** power
  return `${power > 0 && value < 10 ? value.toFixed(1) : Math.round(value)} ${units[power]}`
}
