import { paint, type Style } from './style.js'

/** A step of the tour: its number, what happened, and the command that does the same. */
export function tourStep(number: number, happened: string, command: string, style: Style): string {
  const line = `${number}. ${paint(style, 'bold', happened)}`
  return `${number === 1 ? '' : '\n'}${line}${command === '' ? '' : `\n   ${paint(style, 'dim', `$ ${command}`)}`}`
}

const next = [
  ['dlv webhooks listen', 'receive webhooks in a second terminal'],
  ['dlv deliveries template > order.json', 'write an order to a file, to change as you like'],
  ['dlv deliveries create --file order.json', 'create your own delivery'],
  ['dlv simulate DELIVERY_ID --to delivered', 'advance it to delivered'],
  ['dlv deliveries get DELIVERY_ID', 'show its timeline'],
  ['dlv profiles add NAME', 'connect a real account'],
] as const

/** The commands to try after the tour. */
export function tourClosing(style: Style): string {
  const width = Math.max(...next.map(([command]) => command.length))
  const lines = next.map(([command, does]) => `  ${command.padEnd(width)}  ${paint(style, 'dim', does)}`)
  return ['', paint(style, 'bold', 'Try next, with state that is kept:'), ...lines].join('\n')
}
