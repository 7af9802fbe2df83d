import { builtinModules } from 'node:module'
import { defineConfig } from 'rolldown'
import { esmExternalRequirePlugin } from 'rolldown/plugins'
import { chunkModules } from './scripts/chunk-modules.js'
import { commandFiles, commandModules } from './scripts/command-modules.js'
import { builtPage, pageFiles } from './scripts/inspector-page.js'
import { jqWeb } from './scripts/jq-web.js'
import { lazyBuiltIns, lazyOclif, lazyOclifHelp, silentOclif } from './scripts/lazy-requires.js'
import { withoutMilo, withoutUnused } from './scripts/left-out.js'
import {
  fileChunks,
  libraryChunks,
  minifiedPackages,
  oneParser,
  realTimers,
  sandboxData,
  sandboxDataFile,
  sharedErrors,
  webVariants,
} from './scripts/library-build.js'
import { programChunks } from './scripts/program-chunks.js'
import { thirdPartyNotices } from './scripts/third-party-notices.js'
import { threadSources } from './scripts/thread-sources.js'

/** A file a command, where `oclif manifest` looks for it. */
const commands = Object.fromEntries(
  Object.entries(commandFiles()).map(([id, file]) => [`commands/${id.replaceAll(':', '/')}`, file]),
)

const notices = thirdPartyNotices()

/** None of our files does anything by being imported: a chunk holds only what it uses. */
const ownFiles = { moduleSideEffects: [{ test: /[\\/]src[\\/]/, sideEffects: false }] }
/** No comments around what came from each file: they would be 27 kB of the package. */
const plain = { attachDebugInfo: 'none' }
/**
 * Our files are readable, for stack traces; the bundler of whoever ships them minifies them. What an editor shows is in the
 * declarations.
 */
const exported = {
  format: 'esm',
  minify: 'dce-only',
  minifyInternalExports: false,
  comments: { jsdoc: false },
  codeSplitting: { groups: libraryChunks(), includeDependenciesRecursively: false },
}

export default defineConfig([
  {
    input: { errors: 'src/contract/service-errors.ts' },
    platform: 'neutral',
    logLevel: 'warn',
    output: { dir: 'dist', format: 'esm' },
  },
  {
    // First, because the program contains the page.
    input: { inspector: 'src/ui/page/main.tsx' },
    platform: 'browser',
    logLevel: 'warn',
    transform: { jsx: { runtime: 'automatic', importSource: 'preact' }, target: 'es2022' },
    plugins: [pageFiles(), notices.collect()],
    output: {
      dir: 'dist/ui',
      format: 'esm',
      minify: true,
      entryFileNames: '[name].js',
      chunkFileNames: '[name]-[hash].js',
    },
  },
  {
    input: {
      contract: 'src/contract/index.ts',
      bulk: 'src/bulk/index.ts',
      client: 'src/client/index.ts',
      webhooks: 'src/webhooks/index.ts',
      listener: 'src/listener/index.ts',
      sandbox: 'src/sandbox/index.ts',
      testing: 'src/testing/index.ts',
    },
    platform: 'node',
    logLevel: 'warn',
    treeshake: ownFiles,
    experimental: plain,
    preserveEntrySignatures: 'allow-extension',
    transform: { inject: realTimers, define: withoutMilo },
    plugins: [
      withoutUnused(),
      oneParser(),
      sandboxData(),
      threadSources(),
      esmExternalRequirePlugin({ external: [/^node:/, ...builtinModules] }),
      sharedErrors('../errors.js'),
      minifiedPackages(),
      notices.collect(),
    ],
    output: {
      ...exported,
      dir: 'dist',
      entryFileNames: '[name].js',
      chunkFileNames: 'chunks/[name]-[hash].js',
    },
  },
  {
    input: {
      contract: 'src/contract/index.ts',
      client: 'src/client/index.ts',
      webhooks: 'src/webhooks/index.web.ts',
    },
    platform: 'neutral',
    logLevel: 'warn',
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
    treeshake: ownFiles,
    experimental: plain,
    preserveEntrySignatures: 'allow-extension',
    plugins: [webVariants(), sharedErrors('../errors.js'), minifiedPackages(), notices.collect()],
    output: {
      ...exported,
      dir: 'dist/fetch',
      codeSplitting: { groups: fileChunks(), includeDependenciesRecursively: false },
      entryFileNames: '[name].js',
      chunkFileNames: '[name]-[hash].js',
    },
  },
  {
    input: { ...commands, dlv: 'src/cli/program/start.ts', 'sandbox-data': sandboxDataFile },
    platform: 'node',
    // Examples in other languages, which commands print.
    moduleTypes: { '.go': 'text', '.java': 'text', '.php': 'text', '.py': 'text', '.rb': 'text' },
    logLevel: 'warn',
    treeshake: ownFiles,
    transform: { define: withoutMilo },
    plugins: [
      commandModules(),
      silentOclif(),
      lazyOclif(),
      lazyOclifHelp(),
      withoutUnused(),
      oneParser(),
      lazyBuiltIns(),
      builtPage(),
      threadSources(),
      chunkModules(),
      notices.collect(),
    ],
    output: {
      dir: 'dist/program',
      format: 'cjs',
      exports: 'named',
      minify: true,
      entryFileNames: '[name].cjs',
      chunkFileNames: 'chunks/[name]-[hash].cjs',
      codeSplitting: { groups: programChunks(), includeDependenciesRecursively: false },
    },
  },
  {
    // A single file: its source runs in a thread that cannot load others.
    input: { 'jq-worker': 'src/cli/output/jq/worker.ts' },
    platform: 'node',
    logLevel: 'warn',
    plugins: [jqWeb(), notices.write()],
    output: { dir: 'dist/program', format: 'cjs', minify: true, entryFileNames: '[name].cjs' },
  },
  {
    // A single file, which a process of its own runs.
    input: { 'query-child': 'src/cli/query/child.ts' },
    platform: 'node',
    logLevel: 'warn',
    treeshake: { moduleSideEffects: false },
    output: { dir: 'dist/program', format: 'cjs', minify: true, entryFileNames: '[name].cjs' },
  },
])
