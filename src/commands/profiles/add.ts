import { Args, Flags } from '@oclif/core'
import type { Decision } from '../../cli/accounts/decide.js'
import { BaseCommand } from '../../cli/command/base-command.js'
import { repeatable } from '../../cli/command/write-flags.js'
import { askText } from '../../cli/input/prompt.js'
import { checkSecrets, readApiKey, readSecretFiles } from '../../cli/input/secrets.js'
import { checkKey, type KeyCheck } from '../../cli/profiles/key-check.js'
import { profileRow, profilesOf, warnIfExposed } from '../../cli/profiles/profile-rows.js'
import { withSecrets } from '../../cli/profiles/stored-secrets.js'
import { allowWeakSecretFlag } from '../../cli/webhooks/flags.js'
import { UsageError } from '../../contract/index.js'
import {
  changeProfiles,
  checkProfileName,
  type Environment,
  environments,
  isLiveKey,
  type NamedSecret,
  type Profile,
  parseBaseAddress,
  parseEnvironment,
  profileFilePath,
  profileNamed,
  ResolvedAccount,
  rememberProductionKey,
  systemKeychain,
} from '../../profiles/index.js'
import { type ProfileRow, profileView } from '../../render/profile-view.js'
import { isLoopback } from '../../shared/web-address.js'

export default class AddProfile extends BaseCommand {
  static override summary = 'Add a profile, or change an existing one.'
  static override description =
    'The key is prompted for, or read by --api-key-stdin or --api-key-file. It is saved in the keychain of the system, or in a file that only you can read (0600). A new key is tested with two requests that change nothing; the profile is saved either way. A key that replaces another is asked for deliveries of the account that was used before: one that knows them is a new key of it, and what is kept stays; any other is another account, which begins empty. --same-account and --new-account decide it by hand. A key that the service treats as live, or that begins with dlvk_live_, makes the profile production.'
  static override examples = [
    '<%= config.bin %> profiles add acme --environment sandbox --base-url https://sandbox.example.com/delivery/v1',
    'pass show acme/key | <%= config.bin %> profiles add acme --environment production --base-url https://api.example.com/delivery/v1 --api-key-stdin',
    '<%= config.bin %> profiles add acme --webhook-secret-file secret.txt',
  ]
  static override args = {
    name: Args.string({ description: 'Name of the profile', required: true, ignoreStdin: true }),
  }
  static override flags = {
    environment: Flags.string({
      char: 'e',
      summary: `Environment: ${environments.join(', ')}`,
      helpValue: 'ENVIRONMENT',
    }),
    'api-key-stdin': Flags.boolean({ summary: 'Read the key from standard input' }),
    'api-key-file': Flags.string({
      summary: 'Read the key from a file',
      helpValue: 'FILE',
      exclusive: ['api-key-stdin'],
    }),
    'webhook-secret-file': Flags.string({
      summary: 'File with a signing secret to add; repeatable',
      helpValue: 'FILE',
      ...repeatable,
    }),
    ...allowWeakSecretFlag,
    'no-api-key': Flags.boolean({
      summary: 'Save no key; DLV_API_KEY gives it',
      exclusive: ['api-key-stdin', 'api-key-file'],
    }),
    'no-keychain': Flags.boolean({ summary: 'Save the key in the config file (0600)' }),
    use: Flags.boolean({ summary: 'Make it the current profile' }),
    'same-account': Flags.boolean({ summary: 'The key is of the account used under this name before' }),
    'new-account': Flags.boolean({
      summary: 'The key is of a new account, which begins empty',
      exclusive: ['same-account'],
    }),
  }

  async run(): Promise<ProfileRow> {
    const { args, flags } = await this.parse(AddProfile)
    const { name } = args
    checkProfileName(name)
    const before = profileNamed(profilesOf(this.session), name)
    const keyFlag = flags['api-key-stdin'] || flags['api-key-file'] !== undefined
    let key = keyFlag ? await readApiKey(this.session.context, flags) : undefined
    const asked = await this.environment(name, flags, before, key)
    const profile: Profile = { ...before, environment: asked, webhookSecrets: before?.webhookSecrets ?? [] }
    const warn = (text: string) => this.session.notices.warn(text)
    const reading = { flag: '--webhook-secret-file', allowWeak: flags['allow-weak-secret'] }
    const secrets = await readSecretFiles(this.session.context, flags['webhook-secret-file'] ?? [], warn, reading)
    checkSecrets(secrets, warn)
    if (flags['api-key-file'] !== undefined) warnIfExposed(this.session, flags['api-key-file'])
    if (asked !== 'local' || flags['base-url'] !== undefined || key !== undefined) {
      profile.baseUrl = await this.address(before, flags)
      // A stored key belongs to its URL: a new URL needs the key again.
      const isKeyKept = before?.keyIn !== undefined && before.baseUrl === profile.baseUrl
      if (flags['no-api-key']) await this.dropKey(profile, name)
      else if (!isKeyKept) key ??= await readApiKey(this.session.context, flags)
    }
    if (
      profile.environment === 'local' &&
      profile.baseUrl !== undefined &&
      !isLoopback(new URL(profile.baseUrl).hostname)
    )
      throw new UsageError(`${profile.baseUrl} is not on this machine, so its environment cannot be local.`, {
        hint: 'Use --environment sandbox or production.',
      })
    const check =
      key === undefined || profile.baseUrl === undefined ? undefined : await this.tryKey(profile.baseUrl, key, asked)
    if (key !== undefined) {
      if (check?.isLive) rememberProductionKey(this.config.configDir, key, check.sign)
      profile.environment = this.environmentOfKey(key, asked, check?.isLive === true)
      await this.keepKey(profile, name, key, flags['no-keychain'])
    }
    if (key !== undefined && profile.account !== undefined) {
      profile.formerAccount = profile.account
      delete profile.account
    }
    const row = await this.save(name, profile, secrets, flags.use)
    await this.settleAccount(name, key !== undefined, decisionOf(flags))
    if (key !== undefined && profile.keyIn === 'file') {
      const why = flags['no-keychain'] ? '' : '; no keychain available'
      this.session.notices.notice(`Key saved in ${profileFilePath(this.config.configDir)} (0600${why}).`)
    }
    await this.session.show(profileView, row)
    if (check?.works) this.session.notices.notice(check.text)
    else if (check !== undefined) {
      this.session.notices.warn(check.text)
      this.session.notices.notice(`The profile is saved. Test it again with dlv doctor -P ${name}.`)
    }
    return row
  }

  /** The value that was given or is known; prompts a person, and requires the flag in a script. */
  private async environment(
    name: string,
    flags: { environment?: string | undefined; 'no-input': boolean },
    before: Profile | undefined,
    key: string | undefined,
  ): Promise<Environment> {
    if (flags.environment !== undefined) return parseEnvironment(flags.environment, '--environment')
    if (before !== undefined) return before.environment
    if (name === 'local') return 'local'
    if (key !== undefined && isLiveKey(key)) return 'production'
    const text = `Environment (${environments.join(', ')}):`
    const answer = await askText(this.session.context, { text, flag: '--environment', noInput: flags['no-input'] })
    return parseEnvironment(answer, 'The environment')
  }

  /** Production for a production key, with a notice; otherwise the requested one. */
  private environmentOfKey(key: string, asked: Environment, isLive: boolean): Environment {
    if (!isLive && !isLiveKey(key)) return asked
    const why = isLiveKey(key) ? 'starts with dlvk_live_' : 'is a live one (the service answered SANDBOX_ONLY)'
    const instead = asked === 'production' ? '' : `, not ${asked}`
    if (isLiveKey(key) || asked !== 'production')
      this.session.notices.notice(`The key ${why}, so the profile is production${instead}.`)
    return 'production'
  }

  private async address(
    before: Profile | undefined,
    flags: { 'base-url'?: string | undefined; 'no-input': boolean },
  ): Promise<string> {
    const given = flags['base-url'] ?? before?.baseUrl
    const address =
      given ??
      (await askText(this.session.context, { text: 'Base URL:', flag: '--base-url', noInput: flags['no-input'] }))
    const { baseUrl, notices } = parseBaseAddress(address, '--base-url')
    for (const notice of notices) this.session.notices.notice(notice)
    return baseUrl
  }

  /** Writes the profile with the secrets added to its own. The first profile becomes the current one, with a notice. */
  private async save(name: string, profile: Profile, secrets: NamedSecret[], use: boolean): Promise<ProfileRow> {
    const { configDir } = this.config
    const { current } = await changeProfiles(configDir, (file) => {
      const isFirst = file.current === undefined && name !== 'local'
      profile.webhookSecrets = withSecrets(
        profileNamed(file, name)?.webhookSecrets ?? [],
        secrets,
        this.session.nowMs(),
      )
      const profiles = { ...file.profiles, [name]: profile }
      return use || isFirst ? { current: name, profiles } : { ...file, profiles }
    })
    if (current === name) this.session.notices.notice(`${name} is the current profile.`)
    else this.session.notices.notice(`Use it with -P ${name}, or make it the current profile: dlv profiles use ${name}`)
    return profileRow(name, profile, current)
  }

  /** Asks a new key whose it is, or takes the user's word for it, so that commands which need no key know the account. */
  private async settleAccount(name: string, isNewKey: boolean, decision: Decision | undefined): Promise<void> {
    if (!isNewKey && decision === undefined) return
    const account = new ResolvedAccount({
      ...this.session.account.accountInput(),
      flags: { profile: name, output: undefined },
    })
    const settings = await account.withKey()
    const { apiKey, baseUrl } = settings
    if (baseUrl === undefined || apiKey === undefined) return
    const { decideAccount, isUndecided } = await import('../../cli/accounts/decide.js')
    const { dataDir, configDir } = this.config
    if (decision !== undefined) {
      await decideAccount({ ...settings, apiKey }, decision, { dataDir, configDir, nowMs: this.session.context.nowMs })
      return
    }
    await this.session.account.identityOf(settings).catch((error: unknown) => {
      if (!isUndecided(error)) throw error
      this.session.notices.warn(error.message)
    })
  }

  private tryKey(baseUrl: string, apiKey: string, environment: Environment): Promise<KeyCheck> {
    const options = { baseUrl, apiKey, userAgent: this.config.userAgent, ...this.session.timeLimits() }
    return checkKey(options, environment === 'production' || isLiveKey(apiKey))
  }

  private async dropKey(profile: Profile, name: string): Promise<void> {
    if (profile.keyIn === 'keychain') await systemKeychain(process.platform, this.session.context.env).remove(name)
    delete profile.keyIn
    delete profile.apiKey
  }

  /** Stores the key in the keychain or, if there is none, in the profile; an old one is removed from both. */
  private async keepKey(profile: Profile, name: string, key: string, noKeychain: boolean): Promise<void> {
    const keychain = systemKeychain(process.platform, this.session.context.env)
    const isKept = !noKeychain && (await keychain.store(name, key))
    if (!isKept && profile.keyIn === 'keychain') await keychain.remove(name)
    profile.keyIn = isKept ? 'keychain' : 'file'
    if (isKept) delete profile.apiKey
    else profile.apiKey = key
  }
}

function decisionOf(flags: { 'same-account': boolean; 'new-account': boolean }): Decision | undefined {
  return flags['same-account'] ? 'same' : flags['new-account'] ? 'new' : undefined
}
