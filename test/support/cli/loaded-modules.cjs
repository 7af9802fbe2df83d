/**
 * Preloaded with `--require`: reports on exit which files of the program and which of Node's modules it has loaded, and
 * whether it has made a date formatter, whose first use loads the data of time zones and languages.
 */
const { writeFileSync } = require('node:fs')
const { join, relative } = require('node:path')

const before = new Set(process.moduleLoadList)
const folder = join(__dirname, '..', '..', '..', 'dist', 'program')

let formatsDates = false
Intl.DateTimeFormat = new Proxy(Intl.DateTimeFormat, {
  apply(...call) {
    formatsDates = true
    return Reflect.apply(...call)
  },
  construct(...call) {
    formatsDates = true
    return Reflect.construct(...call)
  },
})

process.on('exit', () => {
  const files = Object.keys(require.cache).map((file) => relative(folder, file).replaceAll('\\', '/'))
  const node = process.moduleLoadList.filter((name) => !before.has(name) && name.startsWith('NativeModule '))
  const report = {
    chunks: files.filter((file) => !file.startsWith('..')),
    node: node.map((name) => name.replace('NativeModule ', '')),
    formatsDates,
  }
  writeFileSync(process.env.DLV_TEST_LOADED, JSON.stringify(report))
})
