import { UsageError } from '../contract/index.js'

/** From the freest to the strictest: what may be done follows from the environment alone. */
export const environments = ['local', 'sandbox', 'production'] as const
export type Environment = (typeof environments)[number]

/** Reads the name of an environment; `where` says in an error where it was given. */
export function parseEnvironment(name: string, where: string): Environment {
  const environment = environments.find((known) => known === name)
  if (environment !== undefined) return environment
  throw new UsageError(`${where} must be one of ${environments.join(', ')}, got "${name}".`)
}

/** The stricter of two environments. */
export function stricter(a: Environment, b: Environment): Environment {
  return environments.indexOf(a) >= environments.indexOf(b) ? a : b
}
