import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { manDate, writeManPages } from '../man-pages.js'

/**
 * Builds `dlv_<version>_<architecture>.deb` from a program, with completions and manual pages where shells and
 * `man` look for them.
 */
export function buildDebianPackage({ out, program, version, architecture }) {
  const root = mkdtempSync(join(tmpdir(), 'dlv-deb-'))
  const files = {
    [program]: 'usr/bin/dlv',
    [join(out, 'completions', 'dlv.bash')]: 'usr/share/bash-completion/completions/dlv',
    [join(out, 'completions', '_dlv')]: 'usr/share/zsh/vendor-completions/_dlv',
    [join(out, 'completions', 'dlv.fish')]: 'usr/share/fish/vendor_completions.d/dlv.fish',
    [join(out, 'THIRD-PARTY-NOTICES.txt')]: 'usr/share/doc/dlv/THIRD-PARTY-NOTICES.txt',
  }
  let bytes = 0
  for (const [from, to] of Object.entries(files)) {
    mkdirSync(join(root, dirname(to)), { recursive: true })
    copyFileSync(from, join(root, to))
    bytes += statSync(from).size
  }
  bytes += addManPages(join(root, 'usr/share/man/man1'))
  mkdirSync(join(root, 'DEBIAN'))
  const control = {
    Package: 'dlv',
    Version: version,
    Architecture: architecture,
    Maintainer: 'The dlv authors <dlv@example.com>',
    'Installed-Size': Math.ceil(bytes / 1024),
    Depends: 'libc6, libstdc++6',
    Section: 'utils',
    Priority: 'optional',
    Description: 'command line of a last-mile Delivery Service API',
  }
  const text = Object.entries(control).map(([name, value]) => `${name}: ${value}\n`)
  writeFileSync(join(root, 'DEBIAN', 'control'), text.join(''))
  const archive = join(out, `dlv_${version}_${architecture}.deb`)
  execFileSync('dpkg-deb', ['--root-owner-group', '-Zxz', '-z1', '--build', root, archive], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  rmSync(root, { recursive: true })
}

/** Writes the manual pages, compressed as Debian has them; gives their size. */
function addManPages(folder) {
  let bytes = 0
  for (const name of writeManPages(folder, manDate())) {
    const packed = gzipSync(readFileSync(join(folder, name)), { level: 9 })
    writeFileSync(join(folder, `${name}.gz`), packed)
    rmSync(join(folder, name))
    bytes += packed.length
  }
  return bytes
}
