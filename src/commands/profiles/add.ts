import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../cli/command/api-command.js'
import { repeatable } from '../../cli/command/repeatable.js'
import { askText } from '../../cli/input/prompt.js'
import { readApiKey, readSecretFiles } from '../../cli/input/secrets.js'
import { profileRow } from '../../cli/profiles/profile-rows.js'
import {
  checkProfileName,
  environments,
  type Profile,
  parseBaseAddress,
  parseEnvironment,
  profileFilePath,
  profileNamed,
  readProfiles,
  systemKeychain,
  writeProfiles,
} from '../../profiles/index.js'
import { type ProfileRow, profileView } from '../../render/profile-view.js'

export default class AddProfile extends ApiCommand {
  static override summary = 'Add an account, or change the one of this name.'
  static override description =
    'The key is asked for, or comes by --api-key-stdin or --api-key-file. It rests in the keychain of the system, or in a file for you alone (0600).'
  static override examples = [
    '<%= config.bin %> profiles add acme --environment sandbox --base-url https://sandbox.example.com/delivery/v1',
    'pass show acme/key | <%= config.bin %> profiles add acme --environment production --base-url https://api.example.com/delivery/v1 --api-key-stdin',
    '<%= config.bin %> profiles add acme --webhook-secret-file old.txt --webhook-secret-file new.txt',
  ]
  static override args = {
    name: Args.string({ description: 'Name of the profile', required: true, ignoreStdin: true }),
  }
  static override flags = {
    environment: Flags.string({ char: 'e', summary: environments.join(', '), helpValue: 'ENVIRONMENT' }),
    'api-key-stdin': Flags.boolean({ summary: 'Read the key from standard input' }),
    'api-key-file': Flags.string({
      summary: 'Read the key from a file',
      helpValue: 'FILE',
      exclusive: ['api-key-stdin'],
    }),
    'webhook-secret-file': Flags.string({
      summary: 'A signing secret; repeatable',
      helpValue: 'FILE',
      ...repeatable,
    }),
    'no-keychain': Flags.boolean({ summary: 'Keep the key in the file (0600), whatever the system offers' }),
    use: Flags.boolean({ summary: 'Make it the current profile' }),
  }

  async run(): Promise<ProfileRow> {
    const { args, flags } = await this.parse(AddProfile)
    const { name } = args
    checkProfileName(name)
    const { configDir } = this.config
    const file = readProfiles(configDir)
    const before = profileNamed(file, name)
    const environment = parseEnvironment(
      flags.environment ?? before?.environment ?? (name === 'local' ? 'local' : 'sandbox'),
      '--environment',
    )
    const profile: Profile = { ...before, environment, webhookSecrets: before?.webhookSecrets ?? [] }
    const secrets = readSecretFiles(this.context, flags['webhook-secret-file'] ?? [], '--webhook-secret-file')
    if (secrets.length > 0) profile.webhookSecrets = secrets
    if (environment !== 'local' || flags['base-url'] !== undefined) {
      profile.baseUrl = await this.address(before, flags)
      const wantsKey = flags['api-key-stdin'] || flags['api-key-file'] !== undefined
      // A stored key belongs to its address: a new address needs the key again.
      if (wantsKey || before?.keyIn === undefined || before.baseUrl !== profile.baseUrl)
        await this.keepKey(profile, name, await readApiKey(this.context, flags), flags['no-keychain'])
    }
    const current = flags.use || (file.current === undefined && name !== 'local') ? name : file.current
    await writeProfiles(configDir, {
      ...(current === undefined ? {} : { current }),
      profiles: { ...file.profiles, [name]: profile },
    })
    if (profile.apiKey !== before?.apiKey && profile.keyIn === 'file')
      this.notices.notice(`The key rests in ${profileFilePath(configDir)} (0600): no keychain was used.`)
    const row = profileRow(name, profile, current ?? 'local')
    await this.show(profileView, row)
    return row
  }

  private async address(
    before: Profile | undefined,
    flags: { 'base-url'?: string | undefined; 'no-input': boolean },
  ): Promise<string> {
    const given = flags['base-url'] ?? before?.baseUrl
    const address =
      given ?? (await askText(this.context, { text: 'Base address:', flag: '--base-url', noInput: flags['no-input'] }))
    const { baseUrl, notices } = parseBaseAddress(address, '--base-url')
    for (const notice of notices) this.notices.notice(notice)
    return baseUrl
  }

  /** Puts the key into the keychain, or if there is none into the profile itself; an old one stays in neither. */
  private async keepKey(profile: Profile, name: string, key: string, noKeychain: boolean): Promise<void> {
    const keychain = systemKeychain(process.platform, this.context.env)
    const isKept = !noKeychain && (await keychain.store(name, key))
    if (!isKept && profile.keyIn === 'keychain') await keychain.remove(name)
    profile.keyIn = isKept ? 'keychain' : 'file'
    if (isKept) delete profile.apiKey
    else profile.apiKey = key
  }
}
