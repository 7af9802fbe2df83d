import type { Command } from '@oclif/core'

/** A flag's summary with its allowed values, its default, and whether it is required: in help, pages and manuals. */
export function flagText(flag: Command.Flag.Any): string {
  const { summary = '', required } = flag
  const options = flag.type === 'option' && flag.options !== undefined ? `: ${flag.options.join(', ')}` : ''
  const isDefaulted = flag.type === 'option' && typeof flag.default !== 'function' && flag.default !== undefined
  return `${summary}${options}${isDefaulted ? ` (default ${String(flag.default)})` : ''}${required ? ' (required)' : ''}`
}
