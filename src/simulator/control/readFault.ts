import { canHappenTo, type Fault, type Kind, kinds, type Parameter, parametersOf } from "../faults/Fault.ts"
import { candidatesOf, type FaultSchedule } from "../faults/schedule.ts"
import { type Channel, speaks, upstreamNames } from "../faults/upstreams.ts"
import type { Millis } from "../world/model.ts"
import { type Body, bad } from "./request.ts"

const channels: ReadonlyArray<Channel> = ["http", "socket"]
const faultFields = ["upstream", "channel", "kind", "share", "path", "from", "until"]
const scheduleFields = ["seed", "rate_per_hour", "kinds", "upstreams", "reorgs"]
const endOfTime = 8_640_000_000_000_000

const parametersIn = (body: Body, kind: Kind): Readonly<Partial<Record<Parameter, number>>> =>
  Object.fromEntries(
    Object.entries(parametersOf[kind] ?? {}).map(([name, { usual, min, max }]) => [
      name,
      body.has(name) ? body.whole(name, min, max) : usual,
    ]),
  )

const pathIn = (body: Body): string | null => {
  if (!body.has("path")) return null
  const path = body.text("path", 500)
  if (!path.startsWith("/")) throw bad("path: must begin with a slash")
  return path
}

/** A fault as somebody asks for it. */
export const readFault = (body: Body, id: string, now: Millis): Fault => {
  const upstream = body.oneOf("upstream", ["*", ...upstreamNames])
  const channel = body.oneOf("channel", channels)
  const kind = body.oneOf<Kind>("kind", kinds[channel])
  body.allowOnly([...faultFields, ...Object.keys(parametersOf[kind] ?? {})])
  if (upstream !== "*" && !speaks(upstream, channel)) throw bad(`channel: ${upstream} has no ${channel}`)
  if (!canHappenTo(kind, upstream)) throw bad(`kind: ${kind} can happen to rpc only`)
  const from = body.has("from") ? body.whole("from", 0, endOfTime) : null
  const until = body.has("until") ? body.whole("until", 0, endOfTime) : null
  if (until !== null && until <= Math.max(from ?? now, now)) throw bad("until: must be later than now and than from")
  const share = body.has("share") ? body.share("share") : 1
  return { id, upstream, channel, kind, share, parameters: parametersIn(body, kind), path: pathIn(body), from, until }
}

export const readSchedule = (body: Body): FaultSchedule => {
  body.allowOnly(scheduleFields)
  const schedule: FaultSchedule = {
    seed: body.whole("seed", 0, 0xffffffff),
    rate_per_hour: body.whole("rate_per_hour", 1, 3_600),
    kinds: body.has("kinds") ? body.someOf<Kind>("kinds", [...new Set([...kinds.http, ...kinds.socket])]) : null,
    upstreams: body.has("upstreams") ? body.someOf("upstreams", upstreamNames) : null,
    reorgs: body.flag("reorgs") ?? true,
  }
  if (candidatesOf(schedule).length === 0) throw bad("kinds: none of them can happen to these upstreams")
  return schedule
}
