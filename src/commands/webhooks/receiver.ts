import { Args, Flags } from '@oclif/core'
import { BaseCommand } from '../../cli/command/base-command.js'
import { unknownWordError } from '../../cli/input/known-word.js'
import { type LanguageExamples, languageExamples } from '../../cli/languages/example-texts.js'
import { UsageError } from '../../contract/index.js'
import { idOf, type View } from '../../render/view.js'

interface Row {
  language: string
  kind: string
  file: string
  run: string
}

const rowsView: View<Row[]> = {
  id: idOf('language'),
  columns: [{ name: 'language' }, { name: 'kind' }, { name: 'file' }, { name: 'run' }],
  rows: (rows) => rows,
}

/** JavaScript, and the frameworks and platforms that people name for it. */
const ofTheLibrary =
  /^(?:javascript|typescript|[jt]sx?|[cm][jt]s|node(?:js)?|express|fastify|hono|next(?:js)?|deno|bun)$/i
const libraryHints: Readonly<Record<keyof LanguageExamples, string>> = {
  receiver:
    'Import expressReceiver, fastifyReceiver, honoReceiver or fetchReceiver from dlv-cli/webhooks; see docs/guides/webhooks.md.',
  client: 'Import createClient and createOnce from dlv-cli/client; see docs/guides/client.md.',
  test: 'Import useSandbox or startTestSandbox from dlv-cli/testing; see docs/guides/testing.md.',
}

export default class Receiver extends BaseCommand {
  static override summary = 'Print a webhook receiver in Python, Go, Ruby, PHP or Java.'
  static override description =
    'One file that needs nothing but the standard library: it verifies the raw body, deduplicates, orders, has each event on disk before it answers, and works afterwards. It passes dlv webhooks test. --client prints a client that creates each order once, --test a test that starts the sandbox. docs/guides/languages.md says how to run them. For JavaScript and TypeScript, import dlv-cli/webhooks.'
  static override examples = [
    '<%= config.bin %> webhooks receiver python > receiver.py',
    '<%= config.bin %> webhooks receiver go --client > client.go',
    '<%= config.bin %> webhooks receiver --list',
  ]
  static override args = {
    language: Args.string({ description: Object.keys(languageExamples).join(', '), ignoreStdin: true }),
  }
  static override flags = {
    client: Flags.boolean({ summary: 'Print the client instead', exclusive: ['test', 'list'] }),
    test: Flags.boolean({ summary: 'Print the test instead', exclusive: ['list'] }),
    list: Flags.boolean({ summary: 'List the languages and how to run each file' }),
  }

  async run(): Promise<Row[] | undefined> {
    const { args, flags } = await this.parse(Receiver)
    const kind: keyof LanguageExamples = flags.client ? 'client' : flags.test ? 'test' : 'receiver'
    if (flags.list) {
      const rows = Object.entries(languageExamples).flatMap(([language, examples]) =>
        Object.entries(examples).map(([kind, { file, run }]) => ({ language, kind, file, run })),
      )
      await this.session.show(rowsView, rows)
      return rows
    }
    const { language = '' } = args
    const examples = Object.hasOwn(languageExamples, language) ? languageExamples[language] : undefined
    if (examples === undefined) {
      if (ofTheLibrary.test(language))
        throw new UsageError(`LANGUAGE: for ${language}, the library has what this command prints.`, {
          hint: libraryHints[kind],
        })
      const known = Object.keys(languageExamples)
      if (args.language !== undefined)
        throw unknownWordError(args.language, known, { flag: 'LANGUAGE', noun: 'a language with a receiver' })
      throw new UsageError('Name a language.', { hint: `Expected one of ${known.join(', ')}.` })
    }
    await this.session.output.text(examples[kind].text.trimEnd())
    return undefined
  }
}
