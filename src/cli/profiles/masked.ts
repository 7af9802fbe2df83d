/** A key or secret, masked so that it can be recognized but not used: its first letters and its length. */
export function masked(secret: string): string {
  const shown = secret.startsWith('whsec_') ? 6 : Math.min(4, Math.floor(secret.length / 4))
  return `${secret.slice(0, shown)}… (${secret.length} characters)`
}
