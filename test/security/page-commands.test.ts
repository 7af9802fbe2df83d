import { globSync, readdirSync, readFileSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import { command } from '../../src/ui/page/models/text.js'
import { createCli } from '../support/cli/program.js'
import { createTempDir } from '../support/temp-dir.js'

const hostile = '$(id>OWNED)`id>OWNED`\';id>OWNED;"\n\u001b[201~id>OWNED'
const cli = createCli(afterAll)
/** Runs commands in bash, where `dlv` prints its arguments, and fails if anything else ran. */
async function argumentsIn(commands: readonly string[]): Promise<string[]> {
  const folder = createTempDir()
  const { stdout } = await cli.shell(`dlv() { printf '<%s>' "$@"; echo; }\n${commands.join('\n')}`, { cwd: folder })
  expect(readdirSync(folder)).toEqual([])
  return stdout.split('\n')
}

test('A command quotes every value, whatever it holds', async () => {
  const shown = `dlv ${command`simulate ${hostile} --to ${hostile}`}`
  expect(shown).not.toMatch(/\p{Cc}/u)
  expect((await argumentsIn([shown])).join('\n')).toBe(`<simulate><${hostile}><--to><${hostile}>\n`)
})

test('No command of the page holds a value that is not quoted', () => {
  const files = globSync('src/ui/page/**/*.tsx')
  const bare = files.flatMap((file) => {
    const templates =
      readFileSync(file, 'utf8').match(/(?<=command=\{|showsCommand\(|const \w+ = |return )`\w[^`]*`/g) ?? []
    const isCommand = /^`(?:api|deliveries|events|installations|quotes|report|sandbox|simulate|webhooks) /
    const isBare = (template: string) => template.replaceAll(/\$\{[^}]*shellWord\([^}]*\}/g, '').includes('${')
    return templates.filter((template) => isCommand.test(template) && isBare(template))
  })
  expect(files.length).toBeGreaterThan(30)
  expect(bare).toEqual([])
})
