import { describe, expect, it } from 'vitest'
import { createCli } from '../../support/cli/program.js'

const create = ['deliveries', 'create', '--dry-run', '--file', 'examples/order.json']

describe('fields and cargo that are typed', () => {
  it.each([
    [[...create, '--set', 'tip=5'], '--set: "tip" is not a field of an order.', 'Did you mean "tipAmountCents"?'],
    [[...create, '--set', 'dropoff.adress=x'], '--set: "dropoff.adress" is not', 'Did you mean "dropoff.address"?'],
    [[...create, '--set', 'phone=x'], '--set: "phone" is not', 'Did you mean "dropoff.contactPhone"?'],
    [
      [...create, '--set', 'dropoff={"address":"x","contactNmae":"y"}'],
      '--set: "dropoff.contactNmae" is not',
      'Did you mean "dropoff.contactName"?',
    ],
    [
      [...create, '--set', 'zzzzzzzzzzzzzz=1'],
      '--set: "zzzzzzzzzzzzzz" is not',
      'The fields are clientOrderReference,',
    ],
    [[...create, '--contains', 'alchohol'], '--contains: "alchohol" is not', 'Did you mean "alcohol"?'],
    [[...create, '--verify', 'foto'], '--verify: "foto" is not a verification.', 'Did you mean "photo"?'],
    [[...create, '--verify', 'photo=requird'], '--verify: "requird" is not a level.', 'Did you mean "required"?'],
    [
      ['deliveries', 'update', 'del_1', '--dry-run', '--clear', 'dropof.instructions'],
      '--clear: "dropof.instructions" is not a field of an order.',
      'Did you mean "dropoff.instructions"?',
    ],
    [
      ['quotes', 'create', '--file', 'examples/order.json', '--set', 'package.itemCount=3'],
      '"package.itemCount"',
      'itemsCount',
    ],
    [
      ['installations', 'check', 'FTBRAGG', '--set', 'tipAmountCents=5'],
      '--set: "tipAmountCents" is not a field of a serviceability check.',
      '',
    ],
    [['installations', 'check', 'FTBRAGG', '--contains', 'alchohol'], '"alchohol"', 'Did you mean "alcohol"?'],
    [[...create, '--set', 'package.contains=["beer"]'], '"beer"', 'write "new:beer"'],
    [
      [...create, '--set', 'package.contains=["controled_cargo"]'],
      '"controled_cargo"',
      'Did you mean "controlled_cargo"?',
    ],
  ])('are refused if the contract does not know them: %j', async (words, message, hint) => {
    const { exitCode, stdout, stderr } = await createCli().run(words)
    expect(exitCode, stderr).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toContain(message)
    expect(stderr).toContain(hint)
  })

  it.each([
    [['--set', 'metadata.anything.at=all']],
    [['--set', 'package.items.0.sku=A1']],
    [['--set', 'dropoff.address.postalCode=28310']],
    [['--set', 'verification.dropoff.identity={"level":"required","minimumAge":21}']],
    [['--set', 'package.contains=["something_new"]']],
    [['--set', 'package.contains=["new:beer"]']],
    [['--contains', 'new:something_new']],
    [['--contains', 'alcohol', '--verify', 'pinCode=preferred']],
  ])('are taken if it does: %j', async (words) => {
    const { exitCode, stderr } = await createCli().run([...create, ...words])
    expect(exitCode, stderr).toBe(0)
  })
})
