// Webhook endpoints that record every request before they answer as their paths say.
import { appendFileSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { behaviourOf, behaviours, type Call } from "./behaviours.ts"
import type { Entry } from "./entries.ts"
import { whenAsked } from "./onRequest.ts"

const file = process.env["RECEIVER_FILE"] ?? ""
const ports = (process.env["RECEIVER_PORTS"] ?? "0").split(",").map(Number)

/** Synchronously, so that nothing is lost when the process is killed. */
const note = (entry: Entry) => appendFileSync(file, `${JSON.stringify(entry)}\n`)
const now = () => performance.timeOrigin + performance.now()

const changed = new Map<string, ReadonlyArray<string>>()
const seen = new Map<string, number>()
const open = new Map<string, number>()
let requests = 0

const count = (counts: Map<string, number>, key: string, by: number) => {
  const after = (counts.get(key) ?? 0) + by
  counts.set(key, after)
  return after
}

const received = (request: IncomingMessage, answer: ServerResponse, body: Buffer, port: number) => {
  const path = request.url ?? "/"
  const { headers } = request
  const id = `${process.pid}-${requests++}`
  const inFlight = count(open, path, 1)
  const nth = count(seen, path, 1)
  const nthOfEvent = count(seen, `${path} ${headers["webhook-id"]}`, 1)
  answer.once("close", () => {
    count(open, path, -1)
    note({ kind: "closed", id, at: now(), answered: answer.writableFinished })
  })
  note({ kind: "request", id, at: now(), port, path, headers, body: body.toString("base64"), inFlight })
  const found = behaviourOf(changed.get(path) ?? path.split("/").slice(1))
  if (found === undefined) {
    answer.writeHead(404).end()
    return
  }
  const call: Call = { answer, argument: found.argument, nth, nthOfEvent, port }
  behaviours[found.name](call)
}

const listen = (wanted: number) =>
  new Promise<number>((resolve, reject) => {
    const server = createServer({ keepAliveTimeout: 60_000, requestTimeout: 0 }, (request, answer) => {
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("error", () => undefined)
      answer.on("error", () => undefined)
      request.on("end", () => received(request, answer, Buffer.concat(chunks), (server.address() as AddressInfo).port))
    })
    server.once("error", reject)
    server.listen(wanted, "127.0.0.1", 1_024, () => resolve((server.address() as AddressInfo).port))
  })

whenAsked(([path = "", ...words]) => void changed.set(path, words))
process.stdout.write(`listening ${(await Promise.all(ports.map(listen))).join(" ")}\n`)
