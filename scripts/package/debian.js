import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { manDate, writeManPages } from '../man-pages.js'

const { homepage } = JSON.parse(readFileSync('package.json', 'utf8'))
const maintainer = 'The dlv authors <dlv@example.com>'

/** What lintian finds in every program that contains Node: it is as Node's project builds it, and holds our chunks. */
const overrides = ['embedded-library zlib', 'hardening-no-pie', 'unstripped-binary-or-object']

/**
 * Builds `dlv_<version>_<architecture>.deb` from a program, with completions and manual pages where shells and
 * `man` look for them.
 */
export async function buildDebianPackage({ out, program, version, architecture }) {
  const root = mkdtempSync(join(tmpdir(), 'dlv-deb-'))
  // A package that is unpacked by hand gives its folder this mode.
  chmodSync(root, 0o755)
  const files = {
    [program]: 'usr/bin/dlv',
    [join(out, 'completions', 'dlv.bash')]: 'usr/share/bash-completion/completions/dlv',
    [join(out, 'completions', '_dlv')]: 'usr/share/zsh/vendor-completions/_dlv',
    [join(out, 'completions', 'dlv.fish')]: 'usr/share/fish/vendor_completions.d/dlv.fish',
    [join(out, 'THIRD-PARTY-NOTICES.txt')]: 'usr/share/doc/dlv/THIRD-PARTY-NOTICES.txt',
    [join(out, 'sbom.cdx.json')]: 'usr/share/doc/dlv/sbom.cdx.json',
    LICENSE: 'usr/share/doc/dlv/copyright',
  }
  let bytes = 0
  for (const [from, to] of Object.entries(files)) {
    mkdirSync(join(root, dirname(to)), { recursive: true })
    copyFileSync(from, join(root, to))
    bytes += statSync(from).size
  }
  bytes += await addManPages(join(root, 'usr/share/man/man1'))
  const write = (to, content) => {
    mkdirSync(join(root, dirname(to)), { recursive: true })
    writeFileSync(join(root, to), content)
    bytes += content.length
  }
  write('usr/share/doc/dlv/changelog.gz', gzipSync(changelog(version), { level: 9 }))
  write('usr/share/lintian/overrides/dlv', overrides.map((tag) => `dlv: ${tag} [usr/bin/dlv]\n`).join(''))
  mkdirSync(join(root, 'DEBIAN'))
  const control = {
    Package: 'dlv',
    Version: version,
    Architecture: architecture,
    Maintainer: maintainer,
    'Installed-Size': Math.ceil(bytes / 1024),
    // What Node's executables need.
    Depends: 'libc6 (>= 2.28), libgcc-s1 | libgcc1, libstdc++6 (>= 6)',
    Section: 'utils',
    Priority: 'optional',
    Homepage: homepage,
    Description: [
      'command line of a last-mile Delivery Service API',
      'Quotes, deliveries, events and signed webhooks of a Delivery Service API,',
      'with the whole service inside: without a profile, commands run against a',
      'sandbox on this machine. The program needs no Node.',
    ].join('\n '),
  }
  const text = Object.entries(control).map(([name, value]) => `${name}: ${value}\n`)
  writeFileSync(join(root, 'DEBIAN', 'control'), text.join(''))
  const archive = join(out, `dlv_${version}_${architecture}.deb`)
  execFileSync('dpkg-deb', ['--root-owner-group', '-Zxz', '-z1', '--build', root, archive], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  rmSync(root, { recursive: true })
}

/** The changes as Debian writes them: this version, and where its changes are listed. */
function changelog(version) {
  const seconds = process.env.SOURCE_DATE_EPOCH
  const date = seconds === undefined ? new Date() : new Date(Number(seconds) * 1_000)
  const signed = ` -- ${maintainer}  ${date.toUTCString().replace('GMT', '+0000')}`
  return `dlv (${version}) unstable; urgency=medium\n\n  * See ${homepage}.\n\n${signed}\n`
}

/** Writes the manual pages, compressed as Debian has them; gives their size. */
async function addManPages(folder) {
  let bytes = 0
  for (const name of await writeManPages(folder, manDate())) {
    const packed = gzipSync(readFileSync(join(folder, name)), { level: 9 })
    writeFileSync(join(folder, `${name}.gz`), packed)
    rmSync(join(folder, name))
    bytes += packed.length
  }
  return bytes
}
