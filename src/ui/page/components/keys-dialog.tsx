import { openDialog, screenKeys } from '../state/keys.js'
import { Dialog } from './dialog.js'

export function KeysDialog({ screens }: { screens: readonly { key: string; name: string }[] }) {
  const close = () => {
    openDialog.value = undefined
  }
  const rows = [
    ['?', 'Show the keys'],
    ['Ctrl-K', 'Open the palette'],
    ['Ctrl-Shift-C', 'Copy the command of what has the focus'],
    ...screens.map(({ key, name }) => [`g ${key}`, `Open ${name}`]),
    ...screenKeys.value.filter(({ key }) => key !== '').map(({ key, words }) => [key, words]),
  ]
  return (
    <Dialog title="Keys" onClose={close}>
      <table class="keys">
        <tbody>
          {rows.map(([key, words]) => (
            <tr key={key}>
              <th scope="row">
                <kbd>{key}</kbd>
              </th>
              <td>{words}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Dialog>
  )
}
