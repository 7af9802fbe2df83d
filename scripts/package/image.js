import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'

/** The user of the container, as images without a shell usually name it. */
const user = 65_532
const dataFolder = '/data'
const port = 4010

const gzipLayer = 'application/vnd.oci.image.layer.v1.tar+gzip'
const configType = 'application/vnd.oci.image.config.v1+json'
const manifestType = 'application/vnd.oci.image.manifest.v1+json'
const indexType = 'application/vnd.oci.image.index.v1+json'

/**
 * Writes an OCI image layout with the program and the libraries that it needs, and nothing else: no shell, no package
 * manager, no root. The same programs and libraries give the same bytes. Several programs, one for each architecture,
 * are one image: whoever pulls it gets the one of the machine.
 *
 * @param programs each without compiled code, which differs from build to build
 * @param notices the file with the licences of what the programs contain
 * @param sbom the file with their bill of materials
 */
export function buildImage({ out, programs, notices, sbom, version }) {
  rmSync(out, { recursive: true, force: true })
  mkdirSync(join(out, 'blobs', 'sha256'), { recursive: true })
  const blob = (bytes, mediaType) => {
    const hex = createHash('sha256').update(bytes).digest('hex')
    writeFileSync(join(out, 'blobs', 'sha256', hex), bytes)
    return { mediaType, digest: `sha256:${hex}`, size: bytes.length }
  }
  const manifests = programs.map(({ architecture, program, libraries }) => {
    const tars = [systemLayer(program, libraries, notices, sbom), dataLayer()]
    const layers = tars.map((tar) => blob(gzipSync(tar, { level: 9 }), gzipLayer))
    const config = blob(json(configOf({ architecture, version, tars })), configType)
    const manifest = blob(json({ schemaVersion: 2, mediaType: manifestType, config, layers }), manifestType)
    return { ...manifest, platform: { architecture, os: 'linux' } }
  })
  const [only, ...others] = manifests
  const image =
    others.length === 0 ? only : blob(json({ schemaVersion: 2, mediaType: indexType, manifests }), indexType)
  const named = { ...image, annotations: { 'org.opencontainers.image.ref.name': version } }
  writeFileSync(join(out, 'index.json'), json({ schemaVersion: 2, manifests: [named] }))
  writeFileSync(join(out, 'oci-layout'), json({ imageLayoutVersion: '1.0.0' }))
}

/** What the container runs, as whom and how it is watched. */
function configOf({ architecture, version, tars }) {
  return {
    created: createdAt(),
    architecture,
    os: 'linux',
    config: {
      User: `${user}:${user}`,
      ExposedPorts: { [`${port}/tcp`]: {} },
      Env: [
        'PATH=/usr/bin',
        `HOME=${dataFolder}`,
        'DLV_NO_INPUT=1',
        'DLV_NO_NOTICE=1',
        `DLV_BASE_URL=http://127.0.0.1:${port}/delivery/v1`,
      ],
      Entrypoint: ['/usr/bin/dlv'],
      Cmd: ['sandbox', 'start', '--host', '0.0.0.0', '--port', String(port), '--data', `${dataFolder}/sandbox.db`],
      Volumes: { [dataFolder]: {} },
      WorkingDir: dataFolder,
      StopSignal: 'SIGTERM',
      Healthcheck: {
        Test: ['CMD', '/usr/bin/dlv', 'health', '--timeout', '3s'],
        Interval: 10e9,
        Timeout: 5e9,
        StartPeriod: 2e9,
        Retries: 3,
      },
      Labels: {
        'org.opencontainers.image.title': 'dlv',
        'org.opencontainers.image.description': 'Sandbox and command line of a last-mile Delivery Service API',
        'org.opencontainers.image.version': version,
        'org.opencontainers.image.licenses': 'MIT',
      },
    },
    rootfs: {
      type: 'layers',
      diff_ids: tars.map((tar) => `sha256:${createHash('sha256').update(tar).digest('hex')}`),
    },
    history: [
      { created: createdAt(), created_by: 'npm run package' },
      { created: createdAt(), created_by: 'npm run package' },
    ],
  }
}

/** The program, its libraries and the two files that name its user. */
function systemLayer(program, libraries, notices, sbom) {
  return tarOf((root) => {
    const add = (from, to, mode) => {
      mkdirSync(join(root, dirname(to)), { recursive: true })
      copyFileSync(from, join(root, to))
      chmodSync(join(root, to), mode)
    }
    add(program, 'usr/bin/dlv', 0o755)
    for (const [path, library] of Object.entries(libraries)) add(library, path, 0o755)
    mkdirSync(join(root, 'etc'), { mode: 0o755 })
    writeFileSync(
      join(root, 'etc/passwd'),
      `root:x:0:0:root:/:/nologin\ndlv:x:${user}:${user}:dlv:${dataFolder}:/nologin\n`,
    )
    writeFileSync(join(root, 'etc/group'), `root:x:0:\ndlv:x:${user}:\n`)
    add(notices, 'usr/share/doc/dlv/THIRD-PARTY-NOTICES.txt', 0o644)
    add(sbom, 'usr/share/doc/dlv/sbom.cdx.json', 0o644)
    add('LICENSE', 'usr/share/doc/dlv/LICENSE', 0o644)
  }, 0)
}

/** What the user may write to. */
function dataLayer() {
  return tarOf((root) => {
    mkdirSync(join(root, dataFolder), { mode: 0o700 })
    mkdirSync(join(root, 'tmp'))
    chmodSync(join(root, 'tmp'), 0o1777)
  }, user)
}

/** A tar of what `fill` puts into a folder; names in order, one time and one owner for all. */
function tarOf(fill, owner) {
  const root = mkdtempSync(join(tmpdir(), 'dlv-image-'))
  try {
    fill(root)
    const flags = ['--sort=name', '--format=ustar', '--numeric-owner', `--owner=${owner}`, `--group=${owner}`]
    const fixed = [`--mtime=${createdAt()}`, ...flags, '--create', '--file=-', '--directory', root]
    const names = execFileSync('ls', ['-A', root], { encoding: 'utf8' }).trim().split('\n')
    return execFileSync('tar', [...fixed, ...names], { maxBuffer: 1_000_000_000 })
  } finally {
    rmSync(root, { recursive: true })
  }
}

/** The time of all that is in an image: `SOURCE_DATE_EPOCH`, or the beginning of time. */
function createdAt() {
  return new Date(Number(process.env.SOURCE_DATE_EPOCH ?? 0) * 1_000).toISOString()
}

function json(value) {
  return Buffer.from(JSON.stringify(value))
}
