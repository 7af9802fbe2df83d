import { standIn } from './stand-in.js'

/** undici has another parser, off unless a variable of the environment asks for it; esbuild leaves it out too. */
export const withoutMilo = { esbuildDetection: 'true' }

/** Bundler plugins: leave out modules that packages import and nothing here reaches. */
export const withoutUnused = () => [
  // undici speaks HTTP/1.1 alone.
  standIn('client-h2', /(?:^|\/)client-h2(?:\.js)?$/, 'module.exports = () => { throw new Error("HTTP/2 is off") }'),
  // Settings have no schema and no migrations.
  standIn('validator', /^ajv(?:-formats|\/.*)?$/, 'export const Ajv2020 = undefined\nexport default undefined'),
  standIn('semver', /^semver$/, 'export default undefined'),
  standIn('pg-native', /^pg-native$/, 'module.exports = undefined'),
  // oclif: programs in TypeScript, plugins, commands without a manifest, spinners.
  standIn('oclif-parts', /^(?:typescript|lilconfig|minimatch|tinyglobby|cli-spinners)$/, 'module.exports = {}'),
  // The agent server asks for one form, with a single answer, which we look at.
  standIn(
    'agent-forms',
    /^@modelcontextprotocol\/server\/_shims$/,
    'export { default as process } from "node:process"\nexport class DefaultJsonSchemaValidator {}',
  ),
]
