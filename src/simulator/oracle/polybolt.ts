import type { Simulation } from "../Simulation.ts"
import type { SocketService, WireSocket } from "../wire.ts"
import { coins, type Oracle } from "../world/oracle.ts"
import { twapOf } from "./derivedPrices.ts"

/** Accepted by the simulated service; not a secret. */
export const polyboltCredentials = { apiKey: "simulated-key", secret: "simulated-secret", passphrase: "simulated" }

const snapshotSeconds = 120
const twapSeconds = 60
const unit = 1e8

interface Channel {
  readonly lists: (coin: string) => boolean
  readonly priceAt: (oracle: Oracle, coin: number, second: number) => number
  readonly extra: object
}

const channels: Readonly<Record<string, Channel>> = {
  "price.crypto": {
    lists: (coin) => coin !== "HYPE",
    priceAt: (oracle, coin, second) => oracle.platformPrice(coin, second) as number,
    extra: { source: "chainlink" },
  },
  "price.crypto.twap": {
    lists: () => true,
    priceAt: (oracle, coin, second) => twapOf(oracle, coin, second, twapSeconds),
    extra: { source: "chainlink", window_seconds: twapSeconds },
  },
}

interface Feed {
  readonly key: string
  readonly name: string
  readonly channel: Channel
  readonly symbol: string
  readonly coin: number
}

type Json = Readonly<Record<string, unknown>>
const isRecord = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

const parsed = (text: string): Json => {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : {}
  } catch {
    return {}
  }
}

/** The feed of a subscription, or why it is refused. */
const feedOf = (subscription: unknown): Feed | string => {
  const { channel: name, filter } = isRecord(subscription) ? subscription : {}
  if (typeof name !== "string" || !Object.hasOwn(channels, name)) return "bad_channel"
  const channel = channels[name] as Channel
  const { symbol, window_seconds: seconds } = isRecord(filter) ? filter : {}
  const coin = coins.findIndex((each) => `${each.symbol.toLowerCase()}usd` === symbol)
  const isListed = coin >= 0 && channel.lists(coins[coin]?.symbol ?? "")
  if (!isListed || (name === "price.crypto.twap" && seconds !== twapSeconds)) return "bad_filter"
  return { key: `${name} ${symbol}`, name, channel, symbol: String(symbol), coin }
}

const pointOf = ({ channel, coin }: Feed, oracle: Oracle, second: number) => {
  const price = channel.priceAt(oracle, coin, second)
  return { timestamp: second * 1000, value: price / unit, full_accuracy_value: (price / unit).toFixed(8) }
}

/** PolyBolt: prices for clients with credentials. Exact values are decimal numbers; some seconds are missing. */
export const polyboltSocket = (sim: Simulation): SocketService => {
  const { oracle } = sim.model.world
  const clients = new Set<(second: number) => void>()
  sim.on("second", (second) => {
    for (const publish of clients) publish(second)
  })

  return (socket: WireSocket) => {
    const feeds = new Map<string, { readonly feed: Feed; seq: number }>()
    let isAuthenticated = false
    const send = (value: object) => socket.send(JSON.stringify(value))

    const deliver = (entry: { readonly feed: Feed; seq: number }, more: object) => {
      entry.seq += 1
      send({ v: 1, channel: entry.feed.name, seq: entry.seq, ts: Math.floor(sim.now()), ...more })
    }
    const snapshot = (feed: Feed) => {
      const last = Math.floor(sim.now() / 1000)
      const seconds = Array.from({ length: snapshotSeconds }, (_, i) => last - snapshotSeconds + 1 + i)
      const data = seconds
        .filter((second) => oracle.platformPrice(feed.coin, second) !== undefined)
        .map((second) => pointOf(feed, oracle, second))
      return { snapshot: true, payload: { symbol: feed.symbol, ...feed.channel.extra, data } }
    }
    const publish = (second: number) => {
      for (const entry of feeds.values()) {
        const { feed } = entry
        if (oracle.platformPrice(feed.coin, second) === undefined) continue
        deliver(entry, { payload: { symbol: feed.symbol, ...pointOf(feed, oracle, second), ...feed.channel.extra } })
      }
    }

    const authenticate = ({ rid, auth }: Json) => {
      const given = isRecord(auth) ? auth : {}
      isAuthenticated = Object.entries(polyboltCredentials).every(([name, value]) => given[name] === value)
      send(isAuthenticated ? { op: "authed", rid } : { op: "error", code: "auth_invalid", rid })
    }
    const subscribe = (subscription: unknown, rid: unknown) => {
      const feed = feedOf(subscription)
      if (typeof feed === "string") return send({ op: "error", code: feed, rid })
      if (!isAuthenticated) return send({ op: "error", code: "auth_required", channel: feed.name, rid })
      send({ op: "subscribed", channel: feed.name, rid })
      // A repeated subscription is acknowledged without a snapshot.
      if (feeds.has(feed.key)) return
      const entry = { feed, seq: 0 }
      feeds.set(feed.key, entry)
      deliver(entry, snapshot(feed))
    }
    const unsubscribe = (subscription: unknown, rid: unknown) => {
      const feed = feedOf(subscription)
      if (typeof feed === "string") return send({ op: "error", code: feed, rid })
      feeds.delete(feed.key)
      send({ op: "unsubscribed", channel: feed.name, rid })
    }

    clients.add(publish)
    socket.onMessage = (text) => {
      const message = parsed(text)
      const { op, rid, subscriptions } = message
      const list: ReadonlyArray<unknown> = Array.isArray(subscriptions) ? subscriptions : []
      if (op === "auth") authenticate(message)
      else if (op === "subscribe") for (const each of list) subscribe(each, rid)
      else if (op === "unsubscribe") for (const each of list) unsubscribe(each, rid)
      else send({ op: "error", code: "bad_op" })
    }
    socket.onClose = () => clients.delete(publish)
  }
}
