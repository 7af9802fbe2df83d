import { Heading } from '../components/heading.js'
import { Empty } from '../components/pieces.js'

export function TimeScreen() {
  return (
    <>
      <Heading title="Time and faults" />
      <Empty title="This screen shows nothing yet." />
    </>
  )
}
