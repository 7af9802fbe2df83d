import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import manifest from '../../oclif.manifest.json' with { type: 'json' }
import { createCli } from '../support/cli/program.js'
import { createTempDir } from '../support/temp-dir.js'

interface Action {
  runs: { steps: { name?: string; run?: string; uses?: string; env?: Record<string, string> }[] }
}

const action = (path: string) => parse(readFileSync(`deploy/github-action/${path}action.yml`, 'utf8')) as Action

/** The flags of a command as `--name` words. */
function flagsOf(id: string): string[] {
  const command = (manifest.commands as Record<string, { flags: object } | undefined>)[id]
  return Object.keys({ ...manifest.globalFlags, ...command?.flags }).map((name) => `--${name}`)
}

describe('The GitHub Action', () => {
  it('starts the sandbox and a listener, exports how to reach them, and collects what they kept', async () => {
    const cli = createCli()
    const folder = createTempDir()
    const bin = join(folder, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'dlv'), `#!/bin/sh\nexec "${process.execPath}" "${process.cwd()}/bin/run.js" "$@"\n`, {
      mode: 0o755,
    })
    const step = (path: string, wanted: string) =>
      action(path).runs.steps.find(({ name }) => name === wanted)?.run ?? ''
    const files = { GITHUB_ENV: join(folder, 'env'), GITHUB_OUTPUT: join(folder, 'output') }
    const started = await cli.shell(step('', 'Start'), {
      env: {
        ...files,
        RUNNER_TEMP: folder,
        PORT: '0',
        SANDBOX_FLAGS: '--rate-limit off',
        FORWARD_TO: 'http://user53:pass59@127.0.0.1:9/hooks?token=query61',
        PATH: `${bin}:${process.env.PATH}`,
      },
    })
    onTestFinished(() => {
      for (const name of ['sandbox', 'listener'])
        process.kill(Number(readFileSync(join(folder, 'dlv', `${name}.pid`), 'utf8')), 'SIGTERM')
    })
    expect(started).toMatchObject({ exitCode: 0 })
    const exported = Object.fromEntries(
      readFileSync(files.GITHUB_ENV, 'utf8')
        .trim()
        .split('\n')
        .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    )
    const { status } = await fetch(`${exported.DLV_BASE_URL}/capabilities`, {
      headers: { authorization: `Bearer ${exported.DLV_API_KEY}` },
    })
    expect(status).toBe(200)
    expect(readFileSync(files.GITHUB_OUTPUT, 'utf8')).toContain(`webhook-secret=${exported.DLV_WEBHOOK_SECRET}`)
    const endpoints = await fetch(`${new URL(exported.DLV_BASE_URL ?? '').origin}/_sandbox/endpoints`)
    expect(((await endpoints.json()) as { endpoints: unknown[] }).endpoints).toHaveLength(1)
    const collected = await cli.shell(step('collect/', 'Report'), {
      env: { ...exported, RUNNER_TEMP: folder, PATH: `${bin}:${process.env.PATH}` },
    })
    expect(collected).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(/^Wrote .*report\.html\.\n$/) })
    const artifact = join(folder, 'dlv-artifact')
    const kept = ['webhooks.ndjson', 'listener.json', 'deliveries.ndjson', 'events.ndjson', 'report.html']
    expect(readdirSync(artifact)).toEqual(expect.arrayContaining(kept))
    const secret = exported.DLV_WEBHOOK_SECRET ?? ''
    expect(secret).toMatch(/^whsec_/)
    for (const name of readdirSync(artifact)) {
      const text = readFileSync(join(artifact, name), 'latin1')
      expect([name, text.includes(secret), /user53|pass59|query61/.exec(text)?.[0]]).toEqual([name, false, undefined])
    }
  })

  it('installs an exact version and uses other actions by their commit', async () => {
    const text = readFileSync('deploy/github-action/action.yml', 'utf8')
    const { inputs, runs } = parse(text) as Action & { inputs: { version: { default: string } } }
    expect(inputs.version.default).toBe(JSON.parse(readFileSync('package.json', 'utf8')).version)
    const install = runs.steps.find(({ name }) => name === 'Install')?.run ?? ''
    for (const VERSION of ['latest', '^0.1.0', '0.1', '0.1.0 --registry=http://evil.test'])
      expect(await createCli().shell(install, { env: { VERSION } })).toMatchObject({ exitCode: 2 })
    for (const { uses } of [...runs.steps, ...action('collect/').runs.steps])
      if (uses !== undefined) expect(uses).toMatch(/^[\w-]+\/[\w-]+@[\da-f]{40}$/)
  })
})

describe('The files for containers', () => {
  it('use flags that exist', () => {
    const compose = parse(readFileSync('examples/containers/compose.yaml', 'utf8')) as {
      services: { sandbox: { command: string[] } }
    }
    const flags = compose.services.sandbox.command.slice(2).map((word) => word.split('=')[0] ?? '')
    expect(flagsOf('sandbox:start')).toEqual(expect.arrayContaining(flags))
    const devcontainer = JSON.parse(readFileSync('examples/devcontainer/devcontainer.json', 'utf8')) as {
      postStartCommand: string
    }
    const words = devcontainer.postStartCommand.match(/--[\w-]+/g) ?? []
    expect(flagsOf('sandbox:start')).toEqual(expect.arrayContaining(words))
  })

  it('start listeners with flags that exist', () => {
    const compose = parse(readFileSync('deploy/compose/compose.yaml', 'utf8')) as {
      services: Record<string, { command?: string[] }>
    }
    const documents = parseAllDocuments(readFileSync('deploy/kubernetes/listener.yaml', 'utf8'))
    const pods = documents.map((document) => document.toJS() as { kind: string; spec: PodOwner })
    const deployed = pods.filter(({ kind }) => kind === 'Deployment')
    const commands = [
      ...Object.values(compose.services).flatMap(({ command }) => (command?.[0] === 'webhooks' ? [command] : [])),
      ...deployed.flatMap(({ spec }) => spec.template.spec.containers.map(({ args }) => args)),
      readFileSync('deploy/systemd/dlv-listener.service', 'utf8')
        .match(/^ExecStart=.*(?:\\\n.*)*/m)?.[0]
        .split(/\s+/) ?? [],
    ]
    expect(commands).toHaveLength(5)
    for (const words of commands) {
      const flags = words.filter((word) => word.startsWith('--')).map((word) => word.split('=')[0])
      expect(flags.length).toBeGreaterThan(0)
      expect(flagsOf('webhooks:listen')).toEqual(expect.arrayContaining(flags))
    }
  })
})

describe('The manifests', () => {
  const documents = parseAllDocuments(readFileSync('deploy/kubernetes/listener.yaml', 'utf8')).map(
    (document) => document.toJS() as { kind: string; metadata: { name: string }; spec: PodOwner },
  )
  const deployments = documents.filter(({ kind }) => kind === 'Deployment')

  it('give pods for Kubernetes no rights, no token, a read-only root, a secret and a network policy each', () => {
    expect(deployments.map(({ metadata }) => metadata.name)).toEqual(['dlv-receiver', 'dlv-forwarder'])
    for (const { metadata, spec } of deployments) {
      const pod = spec.template.spec
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, runAsUser: 65_532, seccompProfile: { type: 'RuntimeDefault' } },
      })
      for (const container of pod.containers)
        expect(container).toMatchObject({
          envFrom: [{ secretRef: { name: metadata.name } }],
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
        })
      const policies = documents.filter(({ kind }) => kind === 'NetworkPolicy').map(({ spec }) => spec)
      expect(policies).toContainEqual(
        expect.objectContaining({
          podSelector: { matchLabels: { app: metadata.name } },
          policyTypes: ['Ingress', 'Egress'],
        }),
      )
    }
  })

  it('let pods reach names, the database and, to forward, the app', () => {
    const egressOf = (name: string) =>
      documents
        .filter(({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === name)
        .flatMap(({ spec }) => (spec as unknown as { egress: unknown[] }).egress)
    const names = {
      to: [
        {
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } },
          podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } },
        },
      ],
      ports: [
        { port: 53, protocol: 'UDP' },
        { port: 53, protocol: 'TCP' },
      ],
    }
    const database = { to: [{ podSelector: { matchLabels: { app: 'dlv-database' } } }], ports: [{ port: 5432 }] }
    const app = { to: [{ podSelector: { matchLabels: { app: 'shop' } } }] }
    expect(egressOf('dlv-receiver')).toEqual([names, database])
    expect(egressOf('dlv-forwarder')).toEqual([names, database, app])
  })

  it.each([
    'deploy/kubernetes/listener.yaml',
    'deploy/compose/compose.yaml',
    'examples/containers/compose.yaml',
    'examples/devcontainer/devcontainer.json',
  ])('name the version or digest of every image in %s', (file) => {
    const images = [...readFileSync(file, 'utf8').matchAll(/^\s*"?image"?: "?([^\s",]+)/gm)].map(([, image]) => image)
    expect(images.length).toBeGreaterThan(0)
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
    for (const [, own] of readFileSync(file, 'utf8').matchAll(/dlv(?:-cli@|:)([\w.-]+)/g)) expect(own).toBe(version)
    for (const image of images) expect(image).toMatch(/^[\w./-]+:(?:\d[\w.-]*|[\w.-]+@sha256:[\da-f]{64})$/)
  })

  it('give listeners of Compose no capability and a read-only root', () => {
    const { services } = parse(readFileSync('deploy/compose/compose.yaml', 'utf8'), { merge: true }) as {
      services: Record<string, { command?: string[] }>
    }
    const listeners = Object.values(services).filter(({ command }) => command?.[0] === 'webhooks')
    expect(listeners).toHaveLength(2)
    for (const listener of listeners)
      expect(listener).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      })
  })

  it('give nothing in the example of Compose a capability or a writable root', () => {
    const { services } = parse(readFileSync('examples/containers/compose.yaml', 'utf8')) as {
      services: Record<string, object>
    }
    expect(Object.keys(services)).toEqual(['sandbox', 'shop', 'register'])
    for (const service of Object.values(services))
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] })
  })

  it('take no capability, no device and few system calls for systemd', () => {
    const unit = readFileSync('deploy/systemd/dlv-listener.service', 'utf8').split('\n')
    const wanted = [
      'CapabilityBoundingSet=',
      'PrivateDevices=yes',
      'SystemCallFilter=@system-service',
      'DynamicUser=yes',
    ]
    expect(unit).toEqual(expect.arrayContaining(wanted))
    expect(unit.filter((line) => line.includes('--admin-host') && line.startsWith('Exec'))).toEqual([])
  })

  it('reach the database over verified TLS wherever it is not on the same machine', () => {
    for (const file of ['deploy/kubernetes/listener.yaml', 'deploy/systemd/dlv-listener.service']) {
      const addresses = readFileSync(file, 'utf8').match(/postgres:\/\/[^\s']+/g) ?? []
      expect(addresses.length).toBeGreaterThan(0)
      for (const address of addresses) expect(address).toMatch(/sslmode=verify-full$/)
    }
  })
})

interface PodOwner {
  template: { spec: { containers: { args: string[] }[] } }
}
