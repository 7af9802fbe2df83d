import { Heading } from '../components/heading.js'
import { Empty } from '../components/pieces.js'

export function ReportScreen() {
  return (
    <>
      <Heading title="Report" />
      <Empty title="This screen shows nothing yet." />
    </>
  )
}
