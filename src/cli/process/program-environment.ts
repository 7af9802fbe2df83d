type Variables = Readonly<Record<string, string | undefined>>

/** Keys and secrets of dlv, which a program needs only to call dlv itself. */
const ownSecrets: ReadonlySet<string> = new Set(['DLV_API_KEY', 'DLV_WEBHOOK_SECRET', 'DLV_SANDBOX_SECRET'])

/** Addresses that may hold a password. They stay, without it. */
const addresses: ReadonlySet<string> = new Set(['DLV_JOURNAL', 'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'FTP_PROXY'])

/**
 * The environment of a program that is started for the user: without the password of the database, and without those in
 * addresses of journals and proxies. Windows knows a variable by any case of its name, and proxies are named in both.
 *
 * @param keepsKeys whether the program may call dlv, and so needs its keys: a command line that the user gave
 */
export function programEnvironment(env: Variables, keepsKeys = false): NodeJS.ProcessEnv {
  const passed: NodeJS.ProcessEnv = {}
  for (const [name, value] of Object.entries(env)) {
    const known = name.toUpperCase()
    if (value === undefined || known === 'PGPASSWORD' || (!keepsKeys && ownSecrets.has(known))) continue
    passed[name] = addresses.has(known) ? withoutPassword(value) : value
  }
  return passed
}

/** An address without the name and password in front of its host, and without a password among its parameters. */
function withoutPassword(address: string): string {
  return address
    .replace(/^((?:[a-z][a-z\d+.-]*:)?\/\/)?[^/?#]*@/i, (found, scheme?: string) => {
      const user = found.slice((scheme ?? '').length, -1).split(':')[0] ?? ''
      return `${scheme ?? ''}${user === '' ? '' : `${user}@`}`
    })
    .replace(/([?&])password=[^&#]*&?/gi, '$1')
    .replace(/(^|\s)password\s*=\s*(?:'(?:[^'\\]|\\.)*'|\S*)\s*/gi, '$1')
}
