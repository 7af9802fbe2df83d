import { UsageError } from '../../contract/index.js'

/** Throws `UsageError` if the text is not an http or https URL. */
export function checkReceiver(address: string, flag: string): void {
  const protocol = URL.canParse(address) ? new URL(address).protocol : undefined
  if (protocol === 'http:' || protocol === 'https:') return
  throw new UsageError(`${flag} must be a URL such as http://localhost:3000/hooks, got "${address.slice(0, 120)}".`)
}
