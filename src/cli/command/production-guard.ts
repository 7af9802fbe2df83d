import { UsageError } from '../../contract/index.js'
import type { Settings } from '../../profiles/index.js'
import { magicValues } from './test-values.js'

/** Refuses what must never reach production, before anything is sent. */
export function refuseOnProduction({ environment, profile }: Settings, what: string): void {
  if (environment !== 'production') return
  throw new UsageError(`${what} is for sandboxes; profile "${profile}" is production.`, {
    hint: 'Choose another profile with -P; dlv profiles list shows them.',
  })
}

/** Refuses an order that holds values which force an outcome in the sandbox: on production they would be real. */
export function refuseMagicOnProduction(settings: Settings, order: unknown): void {
  if (settings.environment !== 'production') return
  const [magic] = magicValues(order)
  if (magic !== undefined)
    refuseOnProduction(settings, `The test value ${JSON.stringify(magic.value)} at ${magic.path}`)
}
