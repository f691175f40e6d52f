import { Agent, request } from "node:http"
import { expose } from "./expose.ts"
import { type LogReaderSubject, requestsOf } from "./venue.ts"

const agent = new Agent({ keepAlive: true, maxSockets: 1 })
const mark = Buffer.from('"logIndex"')

const countIn = (chunk: Buffer) => {
  let count = 0
  for (let at = chunk.indexOf(mark); at !== -1; at = chunk.indexOf(mark, at + mark.length)) count += 1
  return count
}

const post = (port: number, path: string, body: string) =>
  new Promise<Buffer>((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, method: "POST", agent }, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("end", () => resolve(Buffer.concat(chunks)))
    })
    sent.on("error", reject)
    sent.end(body)
  })

expose<LogReaderSubject>({
  read: async (port, path, range) => {
    const since = performance.now()
    let logs = 0
    for (const body of requestsOf(range)) logs += countIn(await post(port, path, body))
    return { logs, perSecond: (logs * 1000) / (performance.now() - since) }
  },
})
