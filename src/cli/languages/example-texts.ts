import goClient from '../../../examples/clients/go/client.go'
import javaClient from '../../../examples/clients/java/Client.java'
import phpClient from '../../../examples/clients/php/client.php'
import pythonClient from '../../../examples/clients/python/client.py'
import rubyClient from '../../../examples/clients/ruby/client.rb'
import goReceiver from '../../../examples/receivers/go/receiver.go'
import javaReceiver from '../../../examples/receivers/java/Receiver.java'
import phpReceiver from '../../../examples/receivers/php/receiver.php'
import pythonReceiver from '../../../examples/receivers/python/receiver.py'
import rubyReceiver from '../../../examples/receivers/ruby/receiver.rb'
import goTest from '../../../examples/tests/go/order_test.go'
import javaTest from '../../../examples/tests/java/OrderTest.java'
import phpTest from '../../../examples/tests/php/OrderTest.php'
import pythonTest from '../../../examples/tests/python/test_order.py'
import rubyTest from '../../../examples/tests/ruby/order_test.rb'

/** A program of `examples/`. */
interface ExampleFile {
  /** The name that it is saved under. */
  file: string
  /** The command that runs it. */
  run: string
  text: string
}

/** The examples in one language: a webhook receiver, a client, and a test against the sandbox. */
export interface LanguageExamples {
  receiver: ExampleFile
  client: ExampleFile
  test: ExampleFile
}

/** The examples of each language, by the name that users type. */
export const languageExamples: Readonly<Record<string, LanguageExamples>> = {
  python: {
    receiver: { file: 'receiver.py', run: 'python3 receiver.py', text: pythonReceiver },
    client: { file: 'client.py', run: 'python3 client.py orders.ndjson', text: pythonClient },
    test: { file: 'test_order.py', run: 'python3 -m unittest test_order', text: pythonTest },
  },
  go: {
    receiver: { file: 'receiver.go', run: 'go run receiver.go', text: goReceiver },
    client: { file: 'client.go', run: 'go run client.go orders.ndjson', text: goClient },
    test: { file: 'order_test.go', run: 'go test order_test.go', text: goTest },
  },
  ruby: {
    receiver: { file: 'receiver.rb', run: 'ruby receiver.rb', text: rubyReceiver },
    client: { file: 'client.rb', run: 'ruby client.rb orders.ndjson', text: rubyClient },
    test: { file: 'order_test.rb', run: 'ruby order_test.rb', text: rubyTest },
  },
  php: {
    receiver: {
      file: 'receiver.php',
      run: 'php -S 127.0.0.1:3000 receiver.php',
      text: phpReceiver,
    },
    client: { file: 'client.php', run: 'php client.php orders.ndjson', text: phpClient },
    test: { file: 'OrderTest.php', run: 'phpunit OrderTest.php', text: phpTest },
  },
  java: {
    receiver: { file: 'Receiver.java', run: 'java Receiver.java', text: javaReceiver },
    client: { file: 'Client.java', run: 'java Client.java orders.ndjson', text: javaClient },
    test: { file: 'OrderTest.java', run: 'a runner of JUnit 5, such as your build tool', text: javaTest },
  },
}
