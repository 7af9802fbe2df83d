import { UsageError } from '../contract/index.js'

/**
 * Refuses a limit that is negative, `NaN` or not a number, such as one that is made of a variable that is not set.
 *
 * @throws UsageError that names the option and the value
 */
export function assertLimits(limits: Readonly<Record<string, unknown>>, least = 0): void {
  for (const [name, value] of Object.entries(limits))
    if (value !== undefined && !(typeof value === 'number' && value >= least))
      throw new UsageError(`${name} must be a number of at least ${least}, not ${String(value)}`, {
        hint:
          name === 'timeoutMs'
            ? 'Give milliseconds, such as 60_000; 0 means no limit.'
            : 'Leave it out for the default.',
      })
}
