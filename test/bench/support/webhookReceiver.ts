import { App, type HttpRequest, type HttpResponse, us_socket_local_port } from "uws-pack"
import { isSignedBy } from "#test/webhooks/support/verifier.ts"
import { answerAs } from "./answerAs.ts"
import { type Arrived, now, type ReceiverSubject, secret } from "./webhooks.ts"

/** To look at every signature would cost more than to sign. */
const lookAtEvery = 50

interface Arrival {
  readonly endpoint: number
  readonly at: number
  readonly body: Buffer
}

let arrivals: Array<Arrival> = []
let seen = new Set<string>()
let twice = 0
let unsigned = 0
let silent: ReadonlySet<number> = new Set()
let waiting = 0
let mostWaiting = 0
let wanted = Number.POSITIVE_INFINITY
let reach: () => void = () => undefined

const note = (arrival: Arrival, headers: Readonly<Record<string, string>>) => {
  const event = headers["webhook-id"] ?? ""
  if (seen.has(event)) {
    twice++
    return
  }
  seen.add(event)
  arrivals.push(arrival)
  if (arrivals.length % lookAtEvery === 0 && !isSignedBy({ headers, body: arrival.body }, secret)) unsigned++
  if (arrivals.length >= wanted) reach()
}

const take = (response: HttpResponse, request: HttpRequest) => {
  const endpoint = Number(request.getParameter(0))
  const headers = Object.fromEntries(
    ["webhook-id", "x-webhook-timestamp", "x-webhook-signature"].map((name) => [name, request.getHeader(name)]),
  )
  const isSilent = silent.has(endpoint)
  if (isSilent) mostWaiting = Math.max(mostWaiting, ++waiting)
  response.onAborted(() => {
    if (isSilent) waiting--
  })
  const parts: Array<Buffer> = []
  response.onData((chunk, isLast) => {
    parts.push(Buffer.from(new Uint8Array(chunk.slice(0))))
    if (!isLast || isSilent) return
    note({ endpoint, at: now(), body: Buffer.concat(parts) }, headers)
    response.cork(() => response.end("ok"))
  })
}

const app = App().post("/:endpoint", take)

const listenOnce = (endpoint: number) =>
  new Promise<string>((resolve) => {
    app.listen("127.0.0.1", 0, (socket) =>
      resolve(`http://127.0.0.1:${us_socket_local_port(socket as never)}/${endpoint}`),
    )
  })

const field = (text: string, pattern: RegExp) => pattern.exec(text)?.[1] ?? ""

const readArrival = ({ endpoint, at, body }: Arrival): Arrived => {
  const text = body.toString("utf8")
  return {
    type: field(text, /"type":"(\w+)"/),
    block: Number(field(text, /"block_number":(\d+)/)),
    owedAt: Date.parse(field(text, /"created_at":"([^"]+)"/)),
    at,
    endpoint,
  }
}

answerAs<ReceiverSubject>({
  listen: (endpoints) => Promise.all(Array.from({ length: endpoints }, (_, i) => listenOnce(i))),
  begin: async () => {
    arrivals = []
    seen = new Set()
    twice = 0
    unsigned = 0
    mostWaiting = waiting
  },
  received: async (count, withinMillis) => {
    wanted = count
    if (arrivals.length < count)
      await new Promise<void>((resolve) => {
        reach = resolve
        setTimeout(resolve, withinMillis).unref()
      })
    wanted = Number.POSITIVE_INFINITY
    return { distinct: arrivals.length, twice, unsigned }
  },
  swallow: async (endpoints) => {
    silent = new Set(endpoints)
  },
  mostWaiting: async () => mostWaiting,
  arrivals: async () => arrivals.map(readArrival),
})
