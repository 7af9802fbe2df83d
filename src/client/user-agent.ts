import packageJson from '../../package.json' with { type: 'json' }

/** The version of this package. */
export const version: string = packageJson.version

/** `dlv-cli/1.2.3 node/24`. The build for other platforms takes `user-agent.web.ts` instead. */
export function userAgent(): string | undefined {
  return `dlv-cli/${version} node/${process.versions.node.split('.', 1)[0]}`
}
