import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createCli } from '../support/cli/program.js'
import { serveSandbox } from '../support/sandbox/served-sandbox.js'

const sandbox = serveSandbox()
const create = ['deliveries', 'create', '--file', 'examples/order.json', '--ref']

/** How a command fails: what a person reads, and the error as JSON. */
async function failureOf(words: string[], options: { cwd?: string; env?: NodeJS.ProcessEnv } = {}) {
  const cli = createCli()
  const run = { ...options, env: { ...sandbox.env(), ...options.env } }
  const { stderr } = await cli.run(words, run)
  const json = await cli.run([...words, '--json'], run)
  return { text: stderr, error: JSON.parse(json.stderr).error }
}

async function created(reference: string): Promise<string> {
  const { deliveryId } = await createCli().json<{ deliveryId: string }>([...create, reference], { env: sandbox.env() })
  return deliveryId
}

describe("The details of the service's error", () => {
  it('reach a person line by line, and JSON as they came', async () => {
    const id = await created('DETAILS-1')
    const { text, error } = await failureOf(['simulate', id, '--to', 'scheduled'])
    expect(error.details).toMatchObject({ from: 'accepted', to: 'scheduled' })
    expect(error.details.allowed).toContain('driver_assigned')
    expect(text).toContain(`\n  allowed: ${error.details.allowed.join(', ')}\n`)
  })

  it('name the delivery that has the reference already', async () => {
    const id = await created('DETAILS-2')
    const { text, error } = await failureOf([...create, 'DETAILS-2', '--name', 'Somebody Else'])
    expect(error.details.existingDeliveryId).toBe(id)
    expect(text).toContain(`\n  existingDeliveryId: ${id}\n`)
  })

  it('are null for an error of which the service said no more', async () => {
    const { error } = await failureOf(['capabilities'], { env: { DLV_API_KEY: 'dlvk_unknown' } })
    expect(error.code).toBe('UNAUTHORIZED')
    expect(error.details).toBeNull()
    expect((await failureOf(['deliveries', 'list', '--limit', '0'])).error.details).toBeNull()
  })
})

describe('What is wrong with a field', () => {
  it('is said once', async () => {
    const { text } = await failureOf([...create, 'ONCE-1', '--set', 'tipAmountCents="five"'])
    expect(text.match(/tipAmountCents/g)).toHaveLength(1)
  })

  it('has the flag that sets it', async () => {
    const order = ['--store', 'STORE-001', '--to', '200 Hay St, Fayetteville, NC 28301', '--phone', '+19105550123']
    const { text, error } = await failureOf(['deliveries', 'create', '--name', 'Maya', ...order])
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', exitCode: 2 })
    expect(text).toContain('--ref sets clientOrderReference.')
    const phone = await failureOf([...create, 'ONCE-2', '--phone', '12'])
    // Not first a warning, then the same as an error.
    expect(phone.text).toBe(
      'error: dropoff.contactPhone (--phone): "12" is not E.164, such as +12025550123.\nhint: Nothing was sent.\n',
    )
  })

  it('is found before a request if it is a misspelt reason, while a new one goes to the service', async () => {
    const words = ['simulate', 'del_1', '--to', 'failed', '--reason']
    const { error } = await failureOf([...words, 'recipient_refussed'])
    expect(error).toMatchObject({ status: null, exitCode: 2, hint: 'Did you mean "recipient_refused"?' })
    expect(error.message).toBe('--reason: "recipient_refussed" is not a reason code.')
    const unknown = await failureOf([...words, 'drone_battery_low'])
    expect(unknown.error.status).toBe(404)
    expect(unknown.text).toContain('"drone_battery_low" is not a reason code that this version knows')
  })
})

describe('An unknown installation', () => {
  it.each([
    ['ftbragg', 'FTBRAGG'],
    ['Fort Bragg', 'FTBRAGG'],
    ['fort-carson', 'FTCARSON'],
  ])('named %s is found as %s, which is said', async (name, code) => {
    const got = await createCli().run(['installations', 'get', name, '-q'], { env: sandbox.env() })
    expect(got).toMatchObject({
      exitCode: 0,
      stdout: `${code}\n`,
      stderr: expect.stringContaining(`"${name}" is ${code}`),
    })
    const { stderr } = await createCli().run(['installations', 'check', name], { env: sandbox.env() })
    expect(stderr).toContain(`"${name}" is ${code}`)
  })

  it('misspelt has the hint of the code', async () => {
    const { error } = await failureOf(['installations', 'get', 'FTBRAG'])
    expect(error).toMatchObject({ code: 'INSTALLATION_NOT_FOUND', message: 'No installation "FTBRAG" exists.' })
    expect(error.hint).toContain('Did you mean "FTBRAGG"')
  })

  it('that resembles none has no such hint', async () => {
    expect((await failureOf(['installations', 'get', 'ZZZZZZZZZ'])).text).not.toContain('Did you mean')
  })
})

describe('The next command of a hint', () => {
  it('names the delivery that the command was about', async () => {
    const id = await created('HINT-1')
    const { text, error } = await failureOf(['simulate', id, '--to', 'scheduled'])
    expect(error.hint).toMatch(new RegExp(`Next: dlv deliveries get ${id}$`))
    expect(text).toContain(`Next: dlv deliveries get ${id}\n`)
  })

  it('names the installation that the service refused', async () => {
    const words = [
      ...create,
      'HINT-2',
      '--installation',
      'ZZDRY',
      '--contains',
      'alcohol',
      '--to',
      '1 Main St, Camp Example, ZZ 28310',
    ]
    const { error } = await failureOf(words)
    expect(error.code).toBe('PROHIBITED_CARGO_FOR_DESTINATION')
    expect(error.hint).toMatch(/Next: dlv installations get ZZDRY$/)
  })

  it('names the reference and the file of the order, as a shell takes them', async () => {
    const cli = createCli()
    copyFileSync('examples/order.json', join(cli.home, 'my order.json'))
    const words = ['deliveries', 'create', '--file', 'my order.json', '--ref', "Dana's 1", '--idempotency-key']
    const reused = await failureOf([...words, 'idem-reused-1'], { cwd: cli.home })
    expect(reused.error.hint).toMatch(/Next: dlv deliveries get --ref 'Dana'\\''s 1'$/)
    const refused = await failureOf([...words, 'a-key', '--store', 'STORE-NOPROVIDER'], { cwd: cli.home })
    expect(refused.error.hint).toMatch(/Next: dlv quotes create --file 'my order.json'$/)
  })

  it('leaves out the file if the order came by flags', async () => {
    const order = ['--store', 'STORE-NOPROVIDER', '--to', '200 Hay St, Fayetteville, NC 28301', '--name', 'Maya']
    const { error } = await failureOf(['deliveries', 'create', '--ref', 'HINT-3', '--phone', '+19105550123', ...order])
    expect(error.hint).toMatch(/Next: dlv quotes create …$/)
  })
})

describe('A wrong value of the sandbox', () => {
  it.each([
    [['simulate', 'del_1', '--to', 'deliverd'], /--to: "deliverd" is not a status\.\n.*Did you mean "delivered"/],
    [['sandbox', 'clock', 'advance', 'soon'], /clock advance must be a duration such as .*, got "soon"/],
    [
      ['sandbox', 'seed', '--over', '400d'],
      /over must be a span from 1h to 30d, not "400d"(?![\s\S]*deliveries create)/,
    ],
  ])('is named: %j', async (words, expected) => {
    const { exitCode, stderr } = await createCli().run(words, { env: sandbox.env() })
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(expected)])
  })
})
