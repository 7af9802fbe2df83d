import packageJson from '../../package.json' with { type: 'json' }

/** `dlv-cli/1.2.3 node/24`. The build for other platforms takes `user-agent.web.ts` instead. */
export function userAgent(): string | undefined {
  return `dlv-cli/${packageJson.version} node/${process.versions.node.split('.', 1)[0]}`
}
