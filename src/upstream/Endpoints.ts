import { Context, Effect, Layer, Option, Redacted } from "effect"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { splitUrls } from "#src/platform/config/Setting.ts"
import * as settings from "./settings.ts"

/** Addresses of the upstreams, without a trailing slash. */
export interface UpstreamAddresses {
  /** Nodes, in order of preference. */
  readonly rpc: ReadonlyArray<string>
  /** Sockets of nodes, in order of preference; empty if nodes are polled. */
  readonly rpcSocket: ReadonlyArray<string>
  readonly gamma: string
  readonly clob: string
  readonly clobSocket: string
  readonly data: string
  readonly site: string
  readonly rtds: string
  readonly polybolt: string
  readonly sports: string
  readonly datastreams: string
  readonly datastreamsSocket: string
  /** Instances, in order of preference; empty if there is no web search. */
  readonly searxng: ReadonlyArray<string>
  readonly x: string
}

export interface Credentials {
  readonly id: string
  readonly secret: Redacted.Redacted<string>
}

export interface PolyboltCredentials {
  readonly key: Redacted.Redacted<string>
  readonly secret: Redacted.Redacted<string>
  readonly passphrase: Redacted.Redacted<string>
}

const simulatorAddresses = (base: string): UpstreamAddresses => {
  const socket = base.replace(/^http/, "ws")
  return {
    rpc: [`${base}/rpc`],
    rpcSocket: [`${socket}/rpc`],
    gamma: `${base}/gamma`,
    clob: `${base}/clob`,
    clobSocket: `${socket}/clob/ws/market`,
    data: `${base}/data`,
    site: `${base}/site`,
    rtds: `${socket}/rtds`,
    polybolt: `${socket}/polybolt/ws`,
    sports: `${socket}/sports/ws`,
    datastreams: `${base}/datastreams`,
    datastreamsSocket: `${socket}/datastreams`,
    searxng: [`${base}/searxng`],
    x: `${base}/x`,
  }
}

const productionAddresses: UpstreamAddresses = {
  rpc: [],
  rpcSocket: [],
  gamma: "https://gamma-api.polymarket.com",
  clob: "https://clob.polymarket.com",
  clobSocket: "wss://ws-subscriptions-clob.polymarket.com/ws/market",
  data: "https://data-api.polymarket.com",
  site: "https://polymarket.com",
  rtds: "wss://ws-live-data.polymarket.com",
  polybolt: "wss://ws-live-v2.polymarket.com/ws",
  sports: "wss://sports-api.polymarket.com/ws",
  datastreams: "https://api.dataengine.chain.link",
  datastreamsSocket: "wss://ws.dataengine.chain.link",
  searxng: [],
  x: "https://api.x.com",
}

/** Accepted by the simulated data streams; not secret. */
const simulatedCredentials: Credentials = {
  id: "00000000-0000-4000-8000-000000000001",
  secret: Redacted.make("simulated-secret"),
}

/** Address of the simulated venue, if it is used. */
export class SimulatorAddress extends Context.Service<SimulatorAddress, { readonly url: string }>()(
  "presage/upstream/SimulatorAddress",
) {}

/** Addresses and credentials of the upstreams. */
export class Endpoints extends Context.Service<
  Endpoints,
  UpstreamAddresses & {
    readonly isSimulated: boolean
    readonly datastreamsCredentials: Credentials | undefined
    readonly polyboltCredentials: PolyboltCredentials | undefined
    readonly xToken: Redacted.Redacted<string> | undefined
  }
>()("presage/upstream/Endpoints") {
  /** As configured. */
  static readonly layer = Layer.suspend(() => Layer.effect(Endpoints, configured))
  /** As configured, with the simulated venue at this address. */
  static readonly at = (url: string) => Endpoints.layer.pipe(Layer.provide(Layer.succeed(SimulatorAddress, { url })))
}

const configured = Effect.gen(function* () {
  const config = yield* Configuration
  const { url: simulator } = yield* SimulatorAddress
  const isSimulated = config.get(settings.upstream) === "simulator"
  const defaults = isSimulated
    ? simulatorAddresses(Option.getOrElse(config.get(settings.simulatorUrl), () => simulator).replace(/\/$/, ""))
    : productionAddresses
  const overrides = Object.entries(settings.addresses).flatMap(([name, setting]) =>
    Option.match(config.get(setting), { onNone: () => [], onSome: (url) => [[name, url.replace(/\/$/, "")]] }),
  )
  const secretOf = (setting: typeof settings.rpcUrl) => Option.getOrUndefined(config.get(setting))
  const urlsOf = (setting: typeof settings.rpcUrl) => {
    const text = secretOf(setting)
    return text === undefined ? undefined : splitUrls(Redacted.value(text))
  }
  const id = config.get(settings.datastreamsId)
  const secret = secretOf(settings.datastreamsSecret)
  const key = secretOf(settings.polyboltKey)
  const [polyboltSecret, passphrase] = [secretOf(settings.polyboltSecret), secretOf(settings.polyboltPassphrase)]
  return Endpoints.of({
    ...defaults,
    ...(Object.fromEntries(overrides) as Partial<UpstreamAddresses>),
    rpc: urlsOf(settings.rpcUrl) ?? defaults.rpc,
    rpcSocket: urlsOf(settings.rpcSocketUrl) ?? defaults.rpcSocket,
    searxng: (urlsOf(settings.searxngUrl) ?? defaults.searxng).map((url) => url.replace(/\/$/, "")),
    isSimulated,
    datastreamsCredentials:
      id !== "" && secret !== undefined ? { id, secret } : isSimulated ? simulatedCredentials : undefined,
    polyboltCredentials:
      key !== undefined && polyboltSecret !== undefined && passphrase !== undefined
        ? { key, secret: polyboltSecret, passphrase }
        : undefined,
    xToken: secretOf(settings.xToken) ?? (isSimulated ? Redacted.make("simulated") : undefined),
  })
})
