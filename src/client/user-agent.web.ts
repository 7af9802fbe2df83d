import packageJson from '../../package.json' with { type: 'json' }

/** The version of this package. */
export const version: string = packageJson.version

/** `dlv-cli/1.2.3 deno/2`; `undefined` in a browser, which sends its own. */
export function userAgent(): string | undefined {
  const platform = typeof navigator === 'undefined' ? '' : navigator.userAgent
  if (platform.startsWith('Mozilla/')) return undefined
  const [, name, major] = /^([\w-]+)\/?(\d*)/.exec(platform) ?? []
  const runtime = name === undefined ? '' : ` ${name.toLowerCase()}${major === '' ? '' : `/${major}`}`
  return `dlv-cli/${version}${runtime}`
}
