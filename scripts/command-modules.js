import { globSync } from 'node:fs'
import { relative, resolve, sep } from 'node:path'

const name = 'commands.generated.js'

/** The files of all commands by id, such as `deliveries:get`. */
export function commandFiles() {
  return Object.fromEntries(
    globSync('src/commands/**/*.ts').map((file) => {
      const words = relative('src/commands', file).replace(/\.ts$/, '').split(sep)
      if (words.at(-1) === 'index') words.pop()
      return [words.join(':'), file]
    }),
  )
}

/** A bundler plugin: provides a module that imports each command's module on demand. */
export function commandModules() {
  return {
    name: 'command-modules',
    resolveId: (source) => (source.endsWith(name) ? `\0${name}` : null),
    load(id) {
      if (id !== `\0${name}`) return null
      const entries = Object.entries(commandFiles()).map(
        ([command, file]) => `${JSON.stringify(command)}: () => import(${JSON.stringify(resolve(file))})`,
      )
      return `export const commands = {${entries.join(',\n')}}`
    },
  }
}
