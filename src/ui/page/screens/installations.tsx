import { Heading } from '../components/heading.js'
import { Empty } from '../components/pieces.js'

export function InstallationsScreen() {
  return (
    <>
      <Heading title="Installations" />
      <Empty title="This screen shows nothing yet." />
    </>
  )
}
