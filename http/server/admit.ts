import { Redacted } from "effect"
import { isPlain, readTarget } from "#src/platform/http/target.ts"
import { type Edge, type Incoming, type Reply, refuse, refuseBody } from "./Exchange.ts"
import { requestIdFor } from "./requestId.ts"

/**
 * The first look at a request, before Effect and its tracer see it: gives it an id, takes the API key
 * out of its address and turns away what no route could use. False means that it has been answered.
 */
export const admit = (edge: Edge, request: Incoming, reply: Reply): boolean => {
  request.edge = edge
  request.reply = reply
  request.startedAt = performance.now()
  reply.on("close", finished)

  const { headers } = request
  const givenId = headers["x-request-id"]
  request.requestId = requestIdFor(typeof givenId === "string" ? givenId : undefined)

  const url = request.url ?? "/"
  if (!isPlain(url)) {
    const target = readTarget(url, checksItself)
    if ("error" in target) {
      request.url = "(unreadable)"
      refuse(reply, 400, target)
      return false
    }
    request.url = target.url
    request.queryKeys = target.keys.map((key) => Redacted.make(key))
  }

  if (headers.host === undefined && request.httpVersion === "1.1") {
    refuse(reply, 400, { error: "The Host header is missing." }, { connection: "close" })
    return false
  }
  if (isForeignWrite(request)) {
    refuse(reply, 403, { error: "Web pages of another origin may only read.", hint: "Ask from a program of yours." })
    return false
  }
  if (Number(headers["content-length"]) > edge.bodyLimit) {
    refuseBody(request, reply, edge.bodyLimit)
    return false
  }
  return true
}

/** Its `error` for whatever cannot be searched for is one that programs know. */
const checksItself = (path: string, param: string) => path === "/v3/leaderboard/scopes" && param === "q"

const reads = new Set(["GET", "HEAD", "OPTIONS"])

/** A page must not be able to change things in its visitor's name, for example to use up the free key of the day. */
const isForeignWrite = ({ method = "", headers: { origin, host } }: Incoming): boolean =>
  origin !== undefined && !reads.has(method) && origin.replace(/^https?:\/\//, "") !== host

function finished(this: Reply) {
  this.req.edge?.done(this.req, this)
}
