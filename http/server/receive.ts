import { Redacted } from "effect"
import { isPlain, readRequestTarget } from "#src/platform/http/requestTarget.ts"
import { type Edge, type Incoming, type Reply, refuse, refuseBody } from "./Exchange.ts"

const acceptableId = /^[A-Za-z0-9._-]{1,64}$/
/** A key sent in the wrong header would be logged as the id. */
const isKeyLike = /_live_/i

// Sorts by process start, then by arrival; the random part tells apart processes that start together.
const idPrefix = `${Date.now().toString(36)}${Math.random().toString(36).slice(2, 6).padEnd(4, "0")}-`
// Starts at six base-36 digits, so that all ids of a process have the same length.
let count = 36 ** 5

/** The client's id if it is safe to log, else a new one. */
export const requestIdFor = (given: string | undefined): string =>
  given !== undefined && acceptableId.test(given) && !isKeyLike.test(given) ? given : idPrefix + (++count).toString(36)

/**
 * Prepares a request before Effect and its tracer see it: assigns an id, removes the API key from its address and refuses
 * requests that no route could use. Returns false if the request has been answered.
 */
export const receive = (edge: Edge, request: Incoming, reply: Reply): boolean => {
  request.edge = edge
  request.reply = reply
  request.startedAt = performance.now()
  reply.on("close", finished)

  const { headers } = request
  // The server upgrades nothing, but Node's parser drops what follows such a request and accepts malformed input.
  if (headers.upgrade !== undefined) reply.shouldKeepAlive = false
  const givenId = headers["x-request-id"]
  request.requestId = requestIdFor(typeof givenId === "string" ? givenId : undefined)

  const url = request.url ?? "/"
  if (!isPlain(url)) {
    const target = readRequestTarget(url, checksItself)
    if ("error" in target) {
      request.url = "(unreadable)"
      refuse(reply, 400, target, { "referrer-policy": "no-referrer" })
      return false
    }
    request.url = target.url
    request.queryKeys = target.keys.map((key) => Redacted.make(key))
  }

  const wrongHead = problemOfHead(request)
  if (wrongHead !== undefined) {
    refuse(reply, 400, { error: wrongHead }, { connection: "close" })
    return false
  }
  if (isForeignWrite(request)) {
    refuse(reply, 403, {
      error: "Web pages of another origin may only read data.",
      hint: "Send the request from your own program.",
    })
    return false
  }
  if (Number(headers["content-length"]) > edge.bodyLimit || request.bodyRefused) {
    refuseBody(request, reply, edge.bodyLimit)
    return false
  }
  return true
}

const hostsIn = (rawHeaders: ReadonlyArray<string>): number => {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.length === 4 && rawHeaders[i]?.toLowerCase() === "host") count++
  }
  return count
}

/** What Node accepts and a proxy in front may read otherwise. */
const problemOfHead = ({ httpVersionMajor, httpVersion, rawHeaders }: Incoming): string | undefined => {
  if (httpVersionMajor !== 1) return "This is not a valid HTTP/1.1 request."
  const hosts = hostsIn(rawHeaders)
  if (hosts > 1) return "The request has several Host headers."
  return hosts === 0 && httpVersion === "1.1" ? "The Host header is missing." : undefined
}

/** This endpoint answers a malformed search text with its own error code. */
const checksItself = (path: string, param: string) => path === "/v3/leaderboard/scopes" && param === "q"

const reads = new Set(["GET", "HEAD", "OPTIONS"])

/** A page must not act in its visitor's name, for example use up the free key of the day. */
const isForeignWrite = ({ method = "", headers: { origin, host } }: Incoming): boolean =>
  origin !== undefined && !reads.has(method) && origin.replace(/^https?:\/\//, "") !== host

function finished(this: Reply) {
  clearTimeout(this.req.deadline)
  this.req.edge?.done(this.req, this)
}
