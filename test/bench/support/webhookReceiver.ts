import { App, type HttpRequest, type HttpResponse, us_socket_local_port } from "uws-pack"
import { isSignedBy } from "#test/webhooks/support/verifier.ts"
import { expose } from "./expose.ts"
import { type Arrival, now, type ReceiverSubject, secret } from "./webhooks.ts"

/** Verifying every signature would cost more than signing. */
const verifyEvery = 50

interface RawArrival {
  readonly endpoint: number
  readonly at: number
  readonly body: Buffer
}

let arrivals: Array<RawArrival> = []
let seen = new Set<string>()
let duplicates = 0
let unsigned = 0
let silent: ReadonlySet<number> = new Set()
let waiting = 0
let maxWaiting = 0
let awaited = Number.POSITIVE_INFINITY
let onAwaited: () => void = () => undefined

const record = (arrival: RawArrival, headers: Readonly<Record<string, string>>) => {
  const event = headers["webhook-id"] ?? ""
  if (seen.has(event)) {
    duplicates++
    return
  }
  seen.add(event)
  arrivals.push(arrival)
  if (arrivals.length % verifyEvery === 0 && !isSignedBy({ headers, body: arrival.body }, secret)) unsigned++
  if (arrivals.length >= awaited) onAwaited()
}

const handle = (response: HttpResponse, request: HttpRequest) => {
  const endpoint = Number(request.getParameter(0))
  const headers = Object.fromEntries(
    ["webhook-id", "x-webhook-timestamp", "x-webhook-signature"].map((name) => [name, request.getHeader(name)]),
  )
  const isSilent = silent.has(endpoint)
  if (isSilent) maxWaiting = Math.max(maxWaiting, ++waiting)
  response.onAborted(() => {
    if (isSilent) waiting--
  })
  const parts: Array<Buffer> = []
  response.onData((chunk, isLast) => {
    parts.push(Buffer.from(new Uint8Array(chunk.slice(0))))
    if (!isLast || isSilent) return
    record({ endpoint, at: now(), body: Buffer.concat(parts) }, headers)
    response.cork(() => response.end("ok"))
  })
}

const app = App().post("/:endpoint", handle)

const listenOnce = (endpoint: number) =>
  new Promise<string>((resolve) => {
    app.listen("127.0.0.1", 0, (socket) =>
      resolve(`http://127.0.0.1:${us_socket_local_port(socket as never)}/${endpoint}`),
    )
  })

const field = (text: string, pattern: RegExp) => pattern.exec(text)?.[1] ?? ""

const parseArrival = ({ endpoint, at, body }: RawArrival): Arrival => {
  const text = body.toString("utf8")
  return {
    type: field(text, /"type":"(\w+)"/),
    block: Number(field(text, /"block_number":(\d+)/)),
    createdAt: Date.parse(field(text, /"created_at":"([^"]+)"/)),
    at,
    endpoint,
  }
}

expose<ReceiverSubject>({
  listen: (endpoints) => Promise.all(Array.from({ length: endpoints }, (_, i) => listenOnce(i))),
  reset: async () => {
    arrivals = []
    seen = new Set()
    duplicates = 0
    unsigned = 0
    maxWaiting = waiting
  },
  received: async (count, withinMillis) => {
    awaited = count
    if (arrivals.length < count)
      await new Promise<void>((resolve) => {
        onAwaited = resolve
        setTimeout(resolve, withinMillis).unref()
      })
    awaited = Number.POSITIVE_INFINITY
    return { distinct: arrivals.length, duplicates, unsigned }
  },
  silence: async (endpoints) => {
    silent = new Set(endpoints)
  },
  maxWaiting: async () => maxWaiting,
  arrivals: async () => arrivals.map(parseArrival),
})
