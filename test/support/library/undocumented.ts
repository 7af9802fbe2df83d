import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import {
  API,
  type Checker,
  type Symbol as Named,
  SignatureKind,
  SymbolFlags,
  type Type,
} from 'typescript/unstable/sync'
import { createTempDir } from '../temp-dir.js'

const declarations = resolve('dist/types')

/** What can be reached in an editor from the exports of these entries, and what of it has no documentation. */
export function undocumented(entries: readonly string[]): { count: number; bare: string[] } {
  const files = entries.map((entry) => join(declarations, entry, 'index.d.ts'))
  const settings = join(createTempDir(), 'tsconfig.json')
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2023',
    lib: ['es2024', 'esnext.disposable'],
    strict: true,
    noEmit: true,
    types: ['node'],
    typeRoots: [resolve('node_modules/@types')],
  }
  writeFileSync(settings, JSON.stringify({ compilerOptions, files }))
  const api = new API()
  try {
    const [project] = api.updateSnapshot({ openProjects: [settings] }).getProjects()
    if (project === undefined) throw new Error('the compiler opened no project')
    const walk = new Walk(project.checker)
    for (const file of files) {
      const source = project.program.getSourceFile(file)
      const module = source === undefined ? undefined : project.checker.getSymbolAtLocation(source)
      if (module === undefined) throw new Error(`${file} is not a module`)
      for (const exported of project.checker.getExportsOfModule(module)) walk.export(exported)
    }
    return walk
  } finally {
    api.close()
  }
}

/** Goes from exports to types, their members, and what these take and return. */
class Walk {
  readonly bare: string[] = []
  private readonly seen = new Set<string>()

  constructor(private readonly checker: Checker) {}

  get count(): number {
    return this.seen.size
  }

  export(exported: Named): void {
    const { checker } = this
    const isAlias = (exported.flags & SymbolFlags.Alias) !== 0
    const symbol = isAlias ? checker.getAliasedSymbol(exported) : exported
    const isType = (symbol.flags & (SymbolFlags.Interface | SymbolFlags.TypeAlias | SymbolFlags.Class)) !== 0
    // A table of constants says by its values what each member is.
    const isTable = !isType && (symbol.flags & SymbolFlags.Variable) !== 0
    this.symbol(symbol, exported.name, isTable)
    if (isType) this.type(checker.getDeclaredTypeOfSymbol(symbol), exported.name)
  }

  private symbol(symbol: Named, path: string, isTable = false): void {
    if (!isOwn(symbol) || symbol.name === 'prototype' || symbol.name.startsWith('__@')) return
    if (!this.isNew(`symbol ${symbol.id}`)) return
    if (this.checker.getDocumentationCommentOfSymbol(symbol).trim() === '') this.bare.push(path)
    if (!isTable) this.type(this.checker.getTypeOfSymbol(symbol), path)
  }

  private type(type: Type | undefined, path: string): void {
    if (type === undefined || !this.isNew(`type ${type.id}`)) return
    const { checker } = this
    if (type.isUnionType() || type.isIntersectionType()) for (const part of type.getTypes()) this.type(part, path)
    if (!type.isObjectType() && !type.isIntersectionType()) return
    const symbol = type.getSymbol()
    // Schemas describe their members by themselves; what a framework gives is described by the framework.
    if (symbol?.declarations.some((declaration) => declaration.path.includes('/zod/'))) return
    if (symbol?.name.endsWith('Like')) return
    if (type.isTypeReference()) for (const argument of checker.getTypeArguments(type)) this.type(argument, path)
    if (symbol !== undefined && symbol.declarations.length > 0 && !isOwn(symbol)) return
    const named = type.getAliasSymbol()?.name ?? (symbol?.name.startsWith('__') === false ? symbol.name : path)
    for (const member of checker.getPropertiesOfType(type)) this.symbol(member, `${named}.${member.name}`)
    for (const signature of checker.getSignaturesOfType(type, SignatureKind.Call)) {
      this.type(checker.getReturnTypeOfSignature(signature), `${named}()`)
      for (const parameter of signature.getParameters())
        this.type(checker.getTypeOfSymbol(parameter), `${named}(${parameter.name})`)
    }
  }

  private isNew(key: string): boolean {
    return !this.seen.has(key) && this.seen.add(key).size > 0
  }
}

function isOwn(symbol: Named): boolean {
  return symbol.declarations.some((declaration) => declaration.path.startsWith(declarations))
}
