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
  return Object.keys(command?.flags ?? {}).map((name) => `--${name}`)
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
        FORWARD_TO: 'http://127.0.0.1:9/hooks',
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
    const kept = ['sandbox.db', 'journal.db', 'deliveries.ndjson', 'events.ndjson', 'report.html']
    expect(readdirSync(join(folder, 'dlv'))).toEqual(expect.arrayContaining(kept))
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

interface PodOwner {
  template: { spec: { containers: { args: string[] }[] } }
}
