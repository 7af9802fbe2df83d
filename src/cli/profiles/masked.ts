/** A key or secret by which it can be recognised and not used: its first letters, and how long it is. */
export function masked(secret: string): string {
  const shown = secret.startsWith('whsec_') ? 6 : Math.min(4, Math.floor(secret.length / 4))
  return `${secret.slice(0, shown)}… (${secret.length} characters)`
}
