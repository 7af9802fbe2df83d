import { hash } from 'node:crypto'
import { join } from 'node:path'
import { UsageError } from '../../contract/index.js'
import type { JournalReader, Listener } from '../../listener/index.js'
import {
  accountName,
  isKeyless,
  type NamedSecret,
  noProfile,
  readProfiles,
  requireTrust,
  secretsOfVariable,
} from '../../profiles/index.js'
import { replayList } from '../../render/webhook-views.js'
import { shownUrl } from '../../shared/web-address.js'
import { type ReplayInput, type ReplayResult, replayEvents, replayProgressFile } from '../../webhooks/index.js'
import { namedKey } from '../../webhooks/internal.js'
import { BaseCommand } from '../command/base-command.js'
import { checkSecrets, readSecretFiles } from '../input/secrets.js'
import { journalFileOf, journalPlace, missingJournal } from '../journal/place.js'
import { exitCodes } from '../process/exit-codes.js'
import { followedSecrets } from '../profiles/followed-secrets.js'
import { embeddedControl } from '../sandbox/control.js'
import { accountIdOf } from '../sandbox/control-of.js'
import { registerListener } from '../sandbox/register-listener.js'
import type { SendAgainFlags } from './flags.js'

/** Whether the target has the event, from this run or an earlier one. */
function isSent({ url, outcome }: ReplayResult, target: string): boolean {
  return url === shownUrl(target) && (outcome === 'delivered' || outcome === 'skipped')
}

/** A command about webhooks, which need secrets. Needs no base URL and no API key if a secret is given. */
export abstract class WebhookCommand extends BaseCommand {
  /**
   * The secrets to verify or sign with: files, `DLV_WEBHOOK_SECRET`, the profile's, and in the `local` profile the
   * embedded sandbox's own. Warns of short keys.
   *
   * @throws UsageError if there is none, or one cannot be used
   */
  protected async secrets(
    files: readonly string[] | undefined = [],
    allowWeak?: boolean,
  ): Promise<readonly NamedSecret[]> {
    const given = await this.secretsAsGiven(files, allowWeak)
    const secrets = allowWeak && !this.isOfSandbox(given) ? given.map((named) => ({ ...named, allowWeak })) : given
    checkSecrets(secrets, (text) => this.session.notices.warn(text))
    return secrets
  }

  /** A function that returns these secrets; those of a profile and of the embedded sandbox as they are by then. */
  protected async followed(secrets: readonly NamedSecret[]): Promise<() => readonly NamedSecret[]> {
    if (this.isOfSandbox(secrets)) return this.sandboxSecrets()
    const { webhookSecrets, sources, profile } = await this.session.account.settings({ needsKey: false })
    const isOwn = secrets === webhookSecrets && sources.webhookSecrets === `profile ${profile}`
    return isOwn ? followedSecrets(this.config.configDir, profile, secrets) : () => secrets
  }

  /** A sentence that says which secret an app behind the listener verifies with; only the sandbox's own is shown. */
  protected async secretOfApps(secrets: readonly NamedSecret[]): Promise<string> {
    if (this.isOfSandbox(secrets)) return `Your app verifies with the sandbox's signing secret: ${secrets[0]?.secret}`
    const { webhookSecrets, sources } = await this.session.account.settings({ needsKey: false })
    const owner =
      secrets === webhookSecrets && sources.webhookSecrets?.startsWith('profile ')
        ? ` of ${sources.webhookSecrets}`
        : ''
    const names = secrets.map(({ name }) => `"${name}"`).join(' or ')
    return `Your app verifies with the secret of this listener: ${names}${owner}.`
  }

  /** The secrets that the embedded sandbox signs with for the account in use: the same array until they change. */
  private async sandboxSecrets(): Promise<() => readonly NamedSecret[]> {
    const sandbox = await this.session.account.sandbox()
    const account = await accountIdOf(await this.session.account.settings({ needsKey: false }))
    return () => {
      const secrets = sandbox.webhookSecrets(account)
      if (String(secrets) !== String(this.ofSandbox.map(({ secret }) => secret))) {
        this.ofSandbox = secrets.map((secret, index) => ({
          name: index === 0 ? 'embedded sandbox' : `embedded sandbox, secret ${index + 1}`,
          secret,
        }))
      }
      return this.ofSandbox
    }
  }

  private isOfSandbox(secrets: readonly NamedSecret[]): boolean {
    return secrets === this.ofSandbox
  }

  private ofSandbox: readonly NamedSecret[] = []

  private async secretsAsGiven(files: readonly string[], allowWeak?: boolean): Promise<readonly NamedSecret[]> {
    if (files.length > 0)
      return readSecretFiles(this.session.context, files, (text) => this.session.notices.warn(text), { allowWeak })
    // A secret is enough for a command that asks no service; only a named profile comes before the variable.
    const isNamed = this.session.flags.profile !== undefined || this.session.context.account !== undefined
    const fromVariable = isNamed ? [] : secretsOfVariable(this.session.context.env)
    if (fromVariable.length > 0) return fromVariable
    const settings = await this.session.account.settings({ needsKey: false })
    if (settings.webhookSecrets.length > 0) return settings.webhookSecrets
    if (settings.baseUrl === undefined) return (await this.sandboxSecrets())()
    const store =
      settings.profile === noProfile ? '' : `, or store one: dlv profiles secrets add ${settings.profile} FILE`
    throw new UsageError(`${accountName(settings).replace(/^p/, 'P')} has no webhook secret.`, {
      hint: (await this.session.account.isOwnSandbox(settings))
        ? 'Set DLV_WEBHOOK_SECRET to the signing secret that dlv sandbox start prints, and register the listener: dlv sandbox endpoints add URL'
        : `Use --secret-file or DLV_WEBHOOK_SECRET${store}`,
    })
  }

  /**
   * Registers the listener with the embedded sandbox and sends its webhooks in this process. Does nothing in another
   * profile; returns whether it did.
   */
  protected async registerWithSandbox(listener: Listener, secrets: readonly NamedSecret[]): Promise<boolean> {
    const settings = await this.session.account.settings({ needsKey: false })
    if (settings.baseUrl !== undefined) return false
    const sandbox = await this.session.account.sandbox()
    const control = embeddedControl(sandbox)
    const own = this.isOfSandbox(secrets) ? undefined : secrets
    this.session.onClose(await registerListener(control, listener, own, await accountIdOf(settings)))
    sandbox.startOutbox()
    return true
  }

  /** How the flags resend events: with new signatures or unchanged, and how fast. */
  protected async mannerOf(flags: SendAgainFlags): Promise<Pick<ReplayInput, 'sign' | 'eventsPerSecond'>> {
    const secrets = flags.verbatim ? [] : await this.secrets(flags['secret-file'], flags['allow-weak-secret'])
    return {
      sign: flags.verbatim ? 'verbatim' : { secrets: secrets.map(namedKey) },
      eventsPerSecond: flags.rate,
    }
  }

  /**
   * Sends past events to one target after another and prints each result as it comes; 9 if an event fails. After a
   * failure it continues with other deliveries. The same command sends what is missing, however it was stopped.
   *
   * @param command what identifies this command: its name and arguments
   * @param onDelivered told of each event that a target has accepted, now or in an earlier run
   * @param again the command that sends events which failed or were not reached; the same command unless given
   */
  protected async sendAgain(
    command: readonly unknown[],
    sends: readonly Omit<ReplayInput, 'progress'>[],
    onDelivered: (eventId: string, url: string) => Promise<void> = async () => {},
    again: (eventIds: readonly string[], url: string) => string | undefined = () => undefined,
  ): Promise<ReplayResult[]> {
    const account = await this.session.account.dataName()
    const runs = sends.map((send) => {
      const mark = hash('sha256', JSON.stringify([account, command, send.url]), 'hex').slice(0, 16)
      return { send, progress: replayProgressFile(join(this.config.dataDir, 'replays', `${mark}.sent`)) }
    })
    const shown: ReplayResult[] = []
    // Each on a page of its own, so that it is printed as soon as it is known.
    const pages = async function* () {
      for (const { send, progress } of runs) {
        for await (const result of replayEvents({ ...send, afterFailure: 'other-deliveries', progress })) {
          shown.push(result)
          if (result.outcome !== 'failed') await onDelivered(result.eventId, send.url)
          yield [result]
        }
      }
    }
    await this.session.output.pages(replayList, pages())
    const countOf = (outcome: ReplayResult['outcome']) => shown.filter((result) => result.outcome === outcome).length
    const skipped = countOf('skipped')
    const before = skipped === 0 ? '' : `, ${skipped} sent by an earlier run`
    this.session.notices.notice(`${countOf('delivered')} delivered${before}.`)
    const failed = shown.filter(({ outcome }) => outcome === 'failed')
    for (const { eventId, error = '', url } of failed) {
      this.session.notices.warn(`${eventId} failed at ${url}: ${error.replace(/[^.?!]$/, '$&.')}`)
      this.session.endWith(exitCodes.otherOutcome)
    }
    const held = countOf('held')
    if (held > 0) {
      const events = held === 1 ? 'event of the same delivery is' : 'events of the same deliveries are'
      this.session.notices.warn(`${held} later ${events} held back, so that the order is kept.`)
    }
    for (const { events, url } of sends) {
      if (!failed.some((result) => result.url === shownUrl(url))) continue
      const sent = new Set(shown.filter((one) => isSent(one, url)).map(({ eventId }) => eventId))
      const missing = Array.isArray(events) ? events.filter(({ id }) => !sent.has(id)).map(({ id }) => id) : []
      const next = again(missing, url)
      this.session.notices.notice(
        next === undefined
          ? 'Run the same command with the same events to send the rest.'
          : `${missing.length} not sent. Once ${shownUrl(url)} takes them: ${next}`,
      )
    }
    const isWhole = failed.length === 0 && !sends.some(({ signal }) => signal?.aborted)
    if (isWhole) for (const { progress } of runs) progress.clear()
    return shown
  }

  /**
   * The journal of this account, opened for reading; closed with the command. `undefined` if it does not exist yet.
   *
   * @throws UsageError if `--journal` names one that does not exist
   */
  protected async journalIfAny(): Promise<JournalReader | undefined> {
    const place = await this.journalPlace()
    const missing = missingJournal(this.session.context, place, this.journalOfFlag)
    if (missing !== undefined && this.journalOfFlag !== undefined) throw missing
    return missing === undefined ? this.openToRead(place) : undefined
  }

  /** The journal of this account. Throws `UsageError` if it does not exist yet. */
  protected async journal(): Promise<JournalReader> {
    const place = await this.journalPlace()
    const missing = missingJournal(this.session.context, place, this.journalOfFlag)
    if (missing !== undefined) throw missing
    return this.openToRead(place)
  }

  private async openToRead(place: string): Promise<JournalReader> {
    const { readJournal } = await import('../../listener/index.js')
    const journal = await readJournal(place, this.session.context.env)
    this.session.onClose(() => journal.close())
    return journal
  }

  /**
   * The routes of the project file, with a notice that names them; none if a flag gives targets.
   *
   * @throws UsageError if nobody has trusted the file
   */
  protected async projectRoutes(flag?: string | readonly string[]): Promise<Readonly<Record<string, string>>> {
    const { project } = await this.session.account.settings({ needsKey: false })
    if (flag !== undefined || project?.routes === undefined) return {}
    const targets = [...new Set(Object.values(project.routes).map(shownUrl))].join(', ')
    requireTrust(this.config.configDir, project, `forwards webhooks to ${targets}`)
    if (targets !== '') this.session.notices.notice(`Forwarding to ${targets}, as ${project.file} says.`)
    return project.routes
  }

  /** Secrets of every profile, to recognize a mix-up; never accepted. */
  protected foreignSecrets(known: readonly NamedSecret[]): NamedSecret[] {
    const mine = new Set(known.map(({ secret }) => secret))
    return Object.entries(readProfiles(this.config.configDir).profiles).flatMap(([profile, { webhookSecrets }]) =>
      webhookSecrets
        .filter(({ secret }) => !mine.has(secret))
        .map(({ name, secret }) => ({ name: `${name} of profile ${profile}`, secret })),
    )
  }

  /** Takes the journal of `--journal` for everything that follows. */
  protected useJournal(flag: string | undefined): void {
    this.journalOfFlag = flag
  }

  private journalOfFlag: string | undefined

  /**
   * The journal of `--journal` or `DLV_JOURNAL`; otherwise a file, one per account. Says once if that is all that an
   * address has because no key is known.
   */
  protected async journalPlace(): Promise<string> {
    const place = journalPlace(this.session.context, this.journalOfFlag)
    if (place !== undefined) return place
    const settings = await this.session.account.settings({ needsKey: false })
    const file = journalFileOf(this.config.dataDir, await this.session.account.dataName())
    if (isKeyless(settings) && !this.saidKeyless)
      this.session.notices.notice(
        `Without DLV_API_KEY the journal is that of every account without a key at ${accountName(settings)}: ${file}. DLV_API_KEY or --journal gives an account its own.`,
      )
    this.saidKeyless = true
    return file
  }

  private saidKeyless = false

  /** Names the journal of an account that a base URL and a key name. */
  protected async sayJournal(): Promise<void> {
    const place = await this.journalPlace()
    const { profile, apiKey } = await this.session.account.settings({ needsKey: false })
    const isOwn =
      profile === noProfile && place === journalFileOf(this.config.dataDir, await this.session.account.dataName())
    if (isOwn && apiKey !== undefined) this.session.notices.notice(`Journal: ${place}, of this base URL and key.`)
  }
}
