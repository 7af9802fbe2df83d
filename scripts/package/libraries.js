import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/** How Debian names an architecture's folder of libraries, and where its programs look for their loader. */
const places = {
  amd64: { libraries: 'x86_64-linux-gnu', loader: 'lib64/ld-linux-x86-64.so.2' },
  arm64: { libraries: 'aarch64-linux-gnu', loader: 'lib/ld-linux-aarch64.so.1' },
}

/** The libraries that a program of this machine needs, by their path in an image. */
export function hostLibraries(program) {
  const found = execFileSync('ldd', [program], { encoding: 'utf8' }).match(/\/\S+\.so\S*/g) ?? []
  return Object.fromEntries(found.map((path) => [path.slice(1), path]))
}

/**
 * The libraries that Node needs on another architecture, out of Debian's packages, which are unpacked below `folder`.
 * apt gets lists of its own there: nothing of this machine changes. Throws where apt cannot have them.
 */
export function foreignLibraries(architecture, folder) {
  const { libraries, loader } = places[architecture]
  const lists = join(folder, 'lists')
  const cache = join(folder, 'cache')
  for (const path of [lists, cache]) mkdirSync(join(path, 'partial'), { recursive: true })
  const config = join(folder, 'apt.conf')
  writeFileSync(
    config,
    `APT::Architecture "${architecture}"; APT::Architectures "${architecture}"; APT::Sandbox::User "root";
Dir::State::Lists "${lists}"; Dir::State::Status "/dev/null"; Dir::Cache "${cache}";\n`,
  )
  const apt = (...words) =>
    execFileSync('apt-get', ['--quiet', ...words], {
      cwd: folder,
      env: { ...process.env, APT_CONFIG: config },
      stdio: 'ignore',
    })
  apt('update')
  apt('download', 'libc6', 'libgcc-s1', 'libstdc++6')
  for (const archive of globSync(join(folder, '*.deb')))
    execFileSync('dpkg-deb', ['--extract', archive, join(folder, 'root')])
  const names = ['libc.so.6', 'libdl.so.2', 'libgcc_s.so.1', 'libm.so.6', 'libpthread.so.0', 'libstdc++.so.6']
  const found = names.map((name) => {
    const path = ['lib', 'usr/lib'].map((parent) => join(parent, libraries, name))
    const there = path.find((candidate) => existsSync(join(folder, 'root', candidate)))
    if (there === undefined) throw new Error(`Debian's packages for ${architecture} have no ${name}.`)
    return [join('lib', libraries, name), join(folder, 'root', there)]
  })
  return { ...Object.fromEntries(found), [loader]: join(folder, 'root', 'lib', libraries, basename(loader)) }
}
