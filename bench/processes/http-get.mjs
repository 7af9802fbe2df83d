/** The lower bound for a client on Node: one GET with node:http, its body printed. */
import { get } from 'node:http'

get(process.argv[2], { headers: { authorization: 'Bearer bench' } }, (response) => response.pipe(process.stdout))
