import { globSync, rmSync } from 'node:fs'
import { defineConfig } from 'rolldown'
import { thirdPartyNotices } from './scripts/third-party-notices.js'

/** One bundle, split per command: a command loads its own code and the chunks that it shares with others. */
const commands = Object.fromEntries(
  globSync('src/commands/**/*.ts').map((file) => [
    file
      .replaceAll('\\', '/')
      .replace(/^src\//, '')
      .replace(/\.ts$/, ''),
    file,
  ]),
)

rmSync('dist', { recursive: true, force: true })

export default defineConfig({
  input: {
    ...commands,
    main: 'src/cli/main.ts',
    contract: 'src/contract/index.ts',
    client: 'src/client/index.ts',
    webhooks: 'src/webhooks/index.ts',
    sandbox: 'src/sandbox/index.ts',
  },
  platform: 'node',
  logLevel: 'warn',
  plugins: [thirdPartyNotices()],
  output: {
    dir: 'dist',
    format: 'esm',
    minify: true,
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
  },
})
