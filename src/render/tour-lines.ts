import { paint, type Style } from './style.js'

/** A step of the tour: its number, what happened, and the command that does the same. */
export function tourStep(number: number, happened: string, command: string, style: Style): string {
  const line = `${number}. ${paint(style, 'bold', happened)}`
  return `${number === 1 ? '' : '\n'}${line}${command === '' ? '' : `\n   ${paint(style, 'dim', `$ ${command}`)}`}`
}

const next = [
  ['dlv webhooks listen', 'in a second terminal: webhooks arrive there'],
  ['dlv deliveries create --file order.json', 'your own order (examples/order.json is one)'],
  ['dlv simulate DELIVERY_ID --to delivered', 'drive it to the door'],
  ['dlv deliveries get DELIVERY_ID', 'see its timeline'],
  ['dlv profiles add NAME', 'connect a real account'],
] as const

/** What to type after the tour. */
export function tourClosing(style: Style): string {
  const width = Math.max(...next.map(([command]) => command.length))
  const lines = next.map(([command, does]) => `  ${command.padEnd(width)}  ${paint(style, 'dim', does)}`)
  return ['', paint(style, 'bold', 'Next, with state that stays:'), ...lines].join('\n')
}
