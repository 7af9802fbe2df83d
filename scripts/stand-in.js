/** A bundler plugin: what is imported under such a name, by such a file, is this source instead. */
export function standIn(name, imported, source, importer = /^/) {
  const id = `\0${name}`
  return {
    name,
    resolveId: {
      filter: { id: imported },
      handler: (_, from = '') => (importer.test(from) ? { id, moduleSideEffects: false } : null),
    },
    load: (asked) => (asked === id ? { code: source, moduleType: 'js' } : null),
  }
}
