import { spawn } from 'node:child_process'

/** The system's store for secrets. Every call gives up after three seconds, so that no command hangs. */
export interface Keychain {
  /** `false` if it did not store the secret: there is none, it is locked, or it is too slow. */
  store(profile: string, secret: string): Promise<boolean>
  find(profile: string): Promise<string | undefined>
  remove(profile: string): Promise<void>
}

const limitMs = 3_000
const service = 'dlv-cli'

interface Answer {
  code: number | undefined
  stdout: string
}

/** Passwords, of which a keychain needs none. */
const passwords = /^(?:DLV_|PGPASSWORD$|(?:https?|all|ftp)_proxy$)/i

function keychainEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !passwords.test(name)))
}

/** Runs a program with the secret on its standard input, because arguments are visible to every user of the machine. */
function ask(program: string, words: string[], input: string, env: NodeJS.ProcessEnv): Promise<Answer> {
  return new Promise((resolve) => {
    const child = spawn(program, words, { stdio: ['pipe', 'pipe', 'ignore'], env: keychainEnvironment(env) })
    let stdout = ''
    const settle = (code: number | undefined) => {
      clearTimeout(timer)
      resolve({ code, stdout })
    }
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      settle(undefined)
    }, limitMs)
    child.on('error', () => settle(undefined))
    // A program that reads nothing may end before its input is closed; its exit code and output say whether it
    // succeeded.
    child.stdin.on('error', () => {})
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
    })
    child.on('close', (code) => settle(code ?? undefined))
    child.stdin.end(input)
  })
}

function secretIn({ code, stdout }: Answer): string | undefined {
  return code === 0 && stdout !== '' ? stdout.replace(/\n$/, '') : undefined
}

function secretService(env: NodeJS.ProcessEnv): Keychain {
  const attributes = (profile: string) => ['service', service, 'profile', profile]
  return {
    async store(profile, secret) {
      const words = ['store', `--label=dlv ${profile}`, ...attributes(profile)]
      if ((await ask('secret-tool', words, secret, env)).code !== 0) return false
      // Some keychains respond but store nothing: only a secret that can be read back counts.
      return (await this.find(profile)) === secret
    },
    async find(profile) {
      return secretIn(await ask('secret-tool', ['lookup', ...attributes(profile)], '', env))
    },
    async remove(profile) {
      await ask('secret-tool', ['clear', ...attributes(profile)], '', env)
    },
  }
}

function macKeychain(env: NodeJS.ProcessEnv): Keychain {
  const quoted = (text: string) => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
  return {
    async store(profile, secret) {
      const line = `add-generic-password -U -s ${service} -a ${quoted(profile)} -w ${quoted(secret)}\n`
      if ((await ask('security', ['-i'], line, env)).code !== 0) return false
      return (await this.find(profile)) === secret
    },
    async find(profile) {
      const words = ['find-generic-password', '-s', service, '-a', profile, '-w']
      return secretIn(await ask('security', words, '', env))
    },
    async remove(profile) {
      await ask('security', ['delete-generic-password', '-s', service, '-a', profile], '', env)
    },
  }
}

/** The keychain of this platform; if there is none, one that stores nothing. */
export function systemKeychain(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): Keychain {
  if (platform === 'darwin') return macKeychain(env)
  if (platform === 'linux' && env.DBUS_SESSION_BUS_ADDRESS !== undefined) return secretService(env)
  return { store: async () => false, find: async () => undefined, remove: async () => {} }
}
