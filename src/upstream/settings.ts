import type { Duration } from "effect"
import * as Setting from "#src/platform/config/Setting.ts"

export const upstream = Setting.oneOf("upstream", ["simulator", "polymarket"], {
  default: "simulator",
  doc: "Source of the data: the simulated venue, which `all` starts, or the real one",
})

export const simulatorUrl = Setting.optionalUrl("upstream.simulator-url", {
  doc: "Address of the simulated venue, if it is not on sim.port of this machine",
})

interface UpstreamAllowance {
  /** Requests in ten seconds. */
  readonly rate: number
  readonly doc: string
  readonly timeout?: Duration.Input
}

/** Services called over HTTP, with the requests they allow in ten seconds. */
const allowances = {
  rpc: { rate: 2_000, doc: "the node" },
  gamma: { rate: 300, doc: "the catalogue" },
  clob: { rate: 1_000, doc: "the order books" },
  data: { rate: 150, doc: "the Data API" },
  site: { rate: 20, doc: "the price-to-beat endpoint" },
  datastreams: { rate: 200, doc: "the oracle" },
  // Short, because the next instance is asked after it.
  searxng: { rate: 100, doc: "the web search", timeout: "6 seconds" },
  x: { rate: 100, doc: "X" },
} as const satisfies Readonly<Record<string, UpstreamAllowance>>

export type UpstreamName = keyof typeof allowances
export const upstreamNames = Object.keys(allowances) as ReadonlyArray<UpstreamName>

export interface UpstreamLimits {
  readonly rate: Setting.Setting<number>
  readonly concurrency: Setting.Setting<number>
  readonly timeout: Setting.Setting<Duration.Duration>
  readonly attempts: Setting.Setting<number>
}

const allowanceOf = (name: UpstreamName): UpstreamAllowance => allowances[name]

const limitsFor = (name: UpstreamName): UpstreamLimits => ({
  rate: Setting.int(`upstream.${name}.rate`, {
    default: allowances[name].rate,
    min: 1,
    max: 100_000,
    live: true,
    doc: `Requests to ${allowances[name].doc} per ten seconds`,
  }),
  concurrency: Setting.int(`upstream.${name}.concurrency`, {
    default: 8,
    min: 1,
    max: 200,
    live: true,
    doc: `Concurrent requests to ${allowances[name].doc}`,
  }),
  timeout: Setting.duration(`upstream.${name}.timeout`, {
    default: allowanceOf(name).timeout ?? "15 seconds",
    min: "100 millis",
    max: "5 minutes",
    live: true,
    doc: `Timeout of one request to ${allowances[name].doc}, to the last byte of the response`,
  }),
  attempts: Setting.int(`upstream.${name}.attempts`, {
    default: 4,
    min: 1,
    max: 20,
    live: true,
    doc: `Attempts of a request to ${allowances[name].doc} before it fails`,
  }),
})

export const limits = Object.fromEntries(upstreamNames.map((name) => [name, limitsFor(name)])) as Readonly<
  Record<UpstreamName, UpstreamLimits>
>

export const responseLimit = Setting.int("upstream.answer-limit", {
  default: 64,
  min: 1,
  max: 1_024,
  doc: "Largest accepted response of an upstream, in MB",
})

const overHttp = ["http", "https"]
const overSocket = ["ws", "wss"]

const addressOf = (name: string, doc: string, protocols = overHttp) =>
  Setting.optionalUrl(`upstream.${name}-url`, { doc, protocols })

/** Secret, because providers put their keys into the URL. */
const nodeOf = (name: string, doc: string, protocols: ReadonlyArray<string>) =>
  Setting.secretUrls(`upstream.${name}-url`, { doc, protocols })

export const rpcUrl = nodeOf(
  "rpc",
  "JSON-RPC of a Polygon node over HTTP, or of several separated by commas; the real venue needs one",
  overHttp,
)
export const rpcSocketUrl = nodeOf(
  "rpc-socket",
  "JSON-RPC of a Polygon node over WebSocket, or of several separated by commas; without it the node is polled",
  overSocket,
)

/** Secret, because an instance may ask for a user name and a password in its URL. */
export const searxngUrl = nodeOf(
  "searxng",
  "A SearXNG with JSON enabled, or several separated by commas; web search with the real venue needs one",
  overHttp,
)

/** Overrides of the default addresses. */
export const addresses = {
  gamma: addressOf("gamma", "The catalogue"),
  clob: addressOf("clob", "The order books over HTTP"),
  clobSocket: addressOf("clob-socket", "The order books over WebSocket", overSocket),
  data: addressOf("data", "The Data API"),
  site: addressOf("site", "The site with the price to beat"),
  rtds: addressOf("rtds", "The platform's real-time prices", overSocket),
  polybolt: addressOf("polybolt", "PolyBolt, the platform's real-time prices for clients with credentials", overSocket),
  sports: addressOf("sports", "Live scores", overSocket),
  datastreams: addressOf("datastreams", "Chainlink Data Streams over HTTP"),
  datastreamsSocket: addressOf("datastreams-socket", "Chainlink Data Streams over WebSocket", overSocket),
  x: addressOf("x", "X API v2"),
} as const

export const datastreamsId = Setting.text("upstream.datastreams-id", {
  default: "",
  pattern: /^.{0,200}$/,
  doc: "Client id for Chainlink Data Streams; not needed for the simulated one",
})
export const datastreamsSecret = Setting.secretText("upstream.datastreams-secret", {
  doc: "Secret for Chainlink Data Streams; not needed for the simulated one",
})
export const polyboltKey = Setting.secretText("upstream.polybolt-key", {
  doc: "API key of the order-book service, for PolyBolt; without it the older price socket is used",
})
export const polyboltSecret = Setting.secretText("upstream.polybolt-secret", { doc: "Secret of that API key" })
export const polyboltPassphrase = Setting.secretText("upstream.polybolt-passphrase", {
  doc: "Passphrase of that API key",
})
export const xToken = Setting.secretText("upstream.x-token", { doc: "Bearer token for X API v2" })

export const upstreamSettings: ReadonlyArray<Setting.AnySetting> = [
  upstream,
  simulatorUrl,
  rpcUrl,
  rpcSocketUrl,
  searxngUrl,
  ...Object.values(addresses),
  datastreamsId,
  datastreamsSecret,
  polyboltKey,
  polyboltSecret,
  polyboltPassphrase,
  xToken,
  responseLimit,
  ...upstreamNames.flatMap((name) => Object.values(limits[name])),
]
