/**
 * Writes the files of a release to `dist-release/`, from `dist-standalone/` and the npm package: an archive for each
 * platform, Debian packages, the image, the bill of materials, the installers, a Homebrew formula, a Scoop manifest and
 * the checksums of all of them.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

const built = 'dist-standalone'
const out = 'dist-release'
const { name, version, description, license, homepage, repository } = JSON.parse(readFileSync('package.json', 'utf8'))
const downloads = `${repository.url.replace(/^git\+|\.git$/g, '')}/releases/download/v${version}`
const host = `linux-${process.arch}`
const epoch = `@${process.env.SOURCE_DATE_EPOCH ?? 0}`
const fixed = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', `--mtime=${epoch}`]

process.umask(0o022)
rmSync(out, { recursive: true, force: true })
mkdirSync(out)

for (const platform of ['linux-x64', 'linux-arm64', 'win-x64']) {
  const suffix = platform.startsWith('win') ? '.exe' : ''
  const program = join(built, platform === host ? 'dlv' : `dlv-${platform}${suffix}`)
  if (existsSync(program)) archive(program, `dlv${suffix}`, `dlv-${platform}.tar.gz`)
}
for (const file of [...globSync(`${built}/*.deb`), join(built, 'sbom.cdx.json'), 'install.sh', 'install.ps1'])
  copyFileSync(file, join(out, basename(file)))
execFileSync('tar', [...fixed, '-cf', join(out, 'dlv-image.tar'), '-C', join(built, 'image'), '.'])
execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', out], { stdio: 'ignore' })

writeFileSync(join(out, 'dlv.rb'), formula(`${name}-${version}.tgz`))
if (existsSync(join(out, 'dlv-win-x64.tar.gz')))
  writeFileSync(join(out, 'dlv.json'), scoopManifest('dlv-win-x64.tar.gz'))
writeFileSync(join(out, 'CHANGES.md'), changesOfThisVersion())
const sums = readdirSync(out).sort()
writeFileSync(join(out, 'SHA256SUMS'), sums.map((file) => `${checksumOf(file)}  ${file}\n`).join(''))

/** An archive of a program with the licences of what it contains. */
function archive(program, programName, file) {
  const folder = mkdtempSync(join(tmpdir(), 'dlv-archive-'))
  copyFileSync(program, join(folder, programName))
  copyFileSync('LICENSE', join(folder, 'LICENSE'))
  copyFileSync(join(built, 'THIRD-PARTY-NOTICES.txt'), join(folder, 'THIRD-PARTY-NOTICES.txt'))
  const files = [programName, 'LICENSE', 'THIRD-PARTY-NOTICES.txt']
  execFileSync('tar', [...fixed, '-czf', join(out, file), '-C', folder, ...files])
  rmSync(folder, { recursive: true })
}

function checksumOf(file) {
  return createHash('sha256')
    .update(readFileSync(join(out, file)))
    .digest('hex')
}

/** Installs the npm package: macOS runs only programs that were signed on a Mac. */
function formula(file) {
  return `class Dlv < Formula
  desc "${description.replace(/\.$/, '')}"
  homepage "${homepage}"
  url "${downloads}/${file}"
  sha256 "${checksumOf(file)}"
  license "${license}"

  depends_on "node"

  def install
    system "npm", "install", *std_npm_args
    bin.install_symlink libexec.glob("bin/*")
    generate_completions_from_executable(bin/"dlv", "completion")
  end

  test do
    assert_match "dlv-cli/#{version}", shell_output("#{bin}/dlv --version")
  end
end
`
}

function scoopManifest(file) {
  const manifest = {
    version,
    description,
    homepage,
    license,
    architecture: { '64bit': { url: `${downloads}/${file}`, hash: checksumOf(file) } },
    bin: 'dlv.exe',
  }
  return `${JSON.stringify(manifest, undefined, 2)}\n`
}

/** The section of this version in the changelog, which becomes the text of the release. */
function changesOfThisVersion() {
  const [, section] = readFileSync('CHANGELOG.md', 'utf8').split(new RegExp(`^## ${version} .*$`, 'm'))
  if (section === undefined) throw new Error(`CHANGELOG.md has no section "## ${version} (date)".`)
  return `${section.split(/^## /m)[0].trim()}\n`
}
