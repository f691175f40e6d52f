import { hash, seedOf } from "../random.ts"
import type { Millis } from "../world/model.ts"

export type Channel = "http" | "socket"

/** The upstreams and their channels. */
export const upstreams = {
  gamma: ["http"],
  clob: ["http", "socket"],
  data: ["http"],
  site: ["http"],
  rpc: ["http", "socket"],
  rtds: ["socket"],
  polybolt: ["socket"],
  datastreams: ["http", "socket"],
  sports: ["socket"],
  searxng: ["http"],
  x: ["http"],
} as const satisfies Readonly<Record<string, ReadonlyArray<Channel>>>

export type Upstream = keyof typeof upstreams

export const upstreamNames = Object.keys(upstreams) as ReadonlyArray<Upstream>

export const hasChannel = (upstream: Upstream, channel: Channel): boolean =>
  upstreams[upstream].some((each) => each === channel)

/** The upstream of a prefix; undefined for the simulator's own control and page. */
export const upstreamOf = (prefix: string): Upstream | undefined => {
  const name = prefix.split("/")[1]
  // The second address of the data streams, for clients that drop the path prefix.
  return name === "api" ? "datastreams" : upstreamNames.find((each) => each === name)
}

/** Polygon nodes and plans of providers, with their limits and wordings. */
export const nodeProfiles = ["alchemy-free", "drpc-free", "publicnode", "bor", "chainstack"] as const

export type NodeProfile = (typeof nodeProfiles)[number]

/** Kinds of faults by channel. */
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
    ...nodeProfiles,
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
    ...nodeProfiles,
  ],
} as const satisfies Readonly<Record<Channel, ReadonlyArray<string>>>

export type HttpKind = (typeof kinds.http)[number]
export type SocketKind = (typeof kinds.socket)[number]
export type Kind = HttpKind | SocketKind

export type Parameter =
  | "retry_after_s"
  | "delay_ms"
  | "status"
  | "skew_ms"
  | "blocks"
  | "range"
  | "batch"
  | "units_per_second"
  | "kept_blocks"
  | "heavy_blocks"
  | "response_kb"
  | "lag_blocks"
  | "messages"
  | "addresses"

interface ParameterRange {
  readonly default: number
  readonly min: number
  readonly max: number
}

const upTo = (fallback: number, max: number): ParameterRange => ({ default: fallback, min: 1, max })

const delay: ParameterRange = { default: 5_000, min: 0, max: 600_000 }

/** Parameters of each kind. */
export const parametersOf: Readonly<Partial<Record<Kind, Readonly<Partial<Record<Parameter, ParameterRange>>>>>> = {
  rate_limited: { retry_after_s: { default: 5, min: 0, max: 86_400 } },
  server_error: { status: { default: 500, min: 500, max: 599 } },
  refuse: { status: { default: 503, min: 400, max: 599 } },
  html: { status: { default: 200, min: 200, max: 599 } },
  slow: { delay_ms: delay },
  // A held message is released after this delay if no other follows.
  reorder: { delay_ms: delay },
  clock_skew: { skew_ms: { default: 60_000, min: -31_536_000_000, max: 31_536_000_000 } },
  behind: { blocks: { default: 5, min: 1, max: 10_000 } },
  "alchemy-free": { range: upTo(10, 10_000), units_per_second: upTo(500, 1_000_000) },
  "drpc-free": { range: upTo(10_000, 100_000), batch: upTo(3, 1_000) },
  // A connection is dropped without notice after so many messages.
  publicnode: {
    range: upTo(10_000, 100_000),
    kept_blocks: upTo(90_000, 100_000_000),
    heavy_blocks: upTo(3_000, 100_000),
    messages: upTo(50_000, 1_000_000_000),
    addresses: upTo(25, 1_000),
  },
  bor: { batch: upTo(100, 1_000), response_kb: upTo(25_000, 1_000_000), lag_blocks: upTo(3, 10_000) },
  chainstack: { range: upTo(100, 10_000), kept_blocks: upTo(127, 100_000_000) },
}

const nodeKinds: ReadonlySet<Kind> = new Set(["behind", ...nodeProfiles])

/** Only the chain has nodes, and blocks to lag behind. */
export const appliesTo = (kind: Kind, upstream: Upstream | "*"): boolean => !nodeKinds.has(kind) || upstream === "rpc"

/** Whether a schedule may choose it without being asked: profiles are no faults that pass. */
export const isPassing = (kind: Kind): boolean => !nodeProfiles.some((name) => name === kind)

/** A fault on the wire between an upstream and its clients. */
export interface Fault {
  readonly id: string
  /** `*` for all upstreams. */
  readonly upstream: Upstream | "*"
  readonly channel: Channel
  readonly kind: Kind
  /** Share of the requests, messages or connections it hits, up to 1. */
  readonly share: number
  readonly parameters: Readonly<Partial<Record<Parameter, number>>>
  /** Limits the fault to paths with this prefix, relative to the upstream. */
  readonly path: string | null
  /** In simulated time; null means from now, or until it is switched off. */
  readonly from: Millis | null
  readonly until: Millis | null
}

/** A parameter or its default. */
export const parameterOf = ({ kind, parameters }: Fault, name: Parameter): number =>
  parameters[name] ?? parametersOf[kind]?.[name]?.default ?? 0

/** A fault that hit; `roll` decides its remaining random choices. */
export interface Hit {
  readonly fault: Fault
  readonly roll: number
}

/** A fault with its counters. */
export class LiveFault {
  readonly fault: Fault
  readonly #seed: number
  /** Requests or messages it could have hit. */
  seen = 0
  hits = 0

  constructor(fault: Fault, seed: number) {
    this.fault = fault
    this.#seed = seedOf(seed, fault.id)
  }

  /** Whether it hits the next request or message; deterministic for the same sequence of requests. */
  strike(): Hit | undefined {
    return this.#strikeAt(this.seen)
  }

  /** Whether it hits a connection: all its messages or none. */
  strikeConnection(connection: number): Hit | undefined {
    return this.#strikeAt(connection)
  }

  #strikeAt(index: number): Hit | undefined {
    this.seen += 1
    if (hash(this.#seed, index, 1) >= this.fault.share * 0x100000000) return undefined
    this.hits += 1
    return { fault: this.fault, roll: hash(this.#seed, index, 2) }
  }
}
