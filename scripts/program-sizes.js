/** Writes `dist/program/files.json`, the size of each file of the program: one that was cut off is known by it. */
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'

const folder = join('dist', 'program')
const packaged = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && !/^(?:chunk-modules|files)\.json$|\.map$/.test(entry.name))
  .map((entry) => join(entry.parentPath, entry.name))
const sizes = packaged.map((file) => [relative(folder, file).replaceAll('\\', '/'), statSync(file).size])
writeFileSync(join(folder, 'files.json'), JSON.stringify(Object.fromEntries(sizes.sort())))
