import { Heading } from '../components/heading.js'
import { Empty } from '../components/pieces.js'

export function EventScreen({ id }: { id: string }) {
  return (
    <>
      <Heading title={id} />
      <Empty title="This screen shows nothing yet." />
    </>
  )
}
