import { UsageError } from '../contract/index.js'

/** From the least to the most restricted. Only the environment decides what is allowed. */
export const environments = ['local', 'sandbox', 'production'] as const
export type Environment = (typeof environments)[number]

/** Parses the name of an environment; `where` names its source in an error. */
export function parseEnvironment(name: string, where: string): Environment {
  const environment = environments.find((known) => known === name)
  if (environment !== undefined) return environment
  throw new UsageError(`${where} must be one of ${environments.join(', ')}, got "${name}".`)
}

/** The stricter of two environments. */
export function stricter(a: Environment, b: Environment): Environment {
  return environments.indexOf(a) >= environments.indexOf(b) ? a : b
}
