import type { Millis } from "../world/model.ts"
import type { Channel, Upstream } from "./upstreams.ts"

/** What can go wrong, by channel. */
export const kinds = {
  http: [
    "down",
    "rate_limited",
    "server_error",
    "slow",
    "truncated",
    "broken",
    "html",
    "wrong_types",
    "clock_skew",
    "behind",
  ],
  socket: [
    "down",
    "refuse",
    "silent",
    "disconnect",
    "duplicate",
    "reorder",
    "truncated",
    "garbage",
    "slow",
    "wrong_types",
    "clock_skew",
  ],
} as const satisfies Readonly<Record<Channel, ReadonlyArray<string>>>

export type HttpKind = (typeof kinds.http)[number]
export type SocketKind = (typeof kinds.socket)[number]
export type Kind = HttpKind | SocketKind

export type Parameter = "retry_after_s" | "delay_ms" | "status" | "skew_ms" | "blocks"

interface Range {
  readonly usual: number
  readonly min: number
  readonly max: number
}

const delay: Range = { usual: 5_000, min: 0, max: 600_000 }

/** What can be said about a kind beyond its name. */
export const parametersOf: Readonly<Partial<Record<Kind, Readonly<Partial<Record<Parameter, Range>>>>>> = {
  rate_limited: { retry_after_s: { usual: 5, min: 0, max: 86_400 } },
  server_error: { status: { usual: 500, min: 500, max: 599 } },
  refuse: { status: { usual: 503, min: 400, max: 599 } },
  html: { status: { usual: 200, min: 200, max: 599 } },
  slow: { delay_ms: delay },
  // A message that no other follows is let go after this long.
  reorder: { delay_ms: delay },
  clock_skew: { skew_ms: { usual: 60_000, min: -31_536_000_000, max: 31_536_000_000 } },
  behind: { blocks: { usual: 5, min: 1, max: 10_000 } },
}

/** Whether something can go wrong there: only what has blocks can lack some. */
export const canHappenTo = (kind: Kind, upstream: Upstream | "*"): boolean => kind !== "behind" || upstream === "rpc"

/** Something that goes wrong on the wire between an upstream and its clients. */
export interface Fault {
  readonly id: string
  /** `*` for all of them. */
  readonly upstream: Upstream | "*"
  readonly channel: Channel
  readonly kind: Kind
  /** Part of the requests, messages or connections that it hits, up to 1. */
  readonly share: number
  readonly parameters: Readonly<Partial<Record<Parameter, number>>>
  /** Only requests to paths that begin so, the upstream's prefix taken off. */
  readonly path: string | null
  /** In simulated time; without a beginning it has begun, without an end it lasts until it is switched off. */
  readonly from: Millis | null
  readonly until: Millis | null
}

/** The parameter as it was given, or as it usually is. */
export const parameterOf = ({ kind, parameters }: Fault, name: Parameter): number =>
  parameters[name] ?? parametersOf[kind]?.[name]?.usual ?? 0
