import type { EventType, FeedMessage } from "#src/feed/model.ts"
import type { Dice } from "#src/simulator/random.ts"

/** Event types of each stream according to the documentation. */
const documentedTypes: Readonly<Record<string, ReadonlyArray<EventType>>> = {
  fills: ["fill"],
  trades: ["settlement", "status_update", "trade"],
  prices: ["settlement", "trade"],
  wallets: [
    ...["settlement", "trade", "position_change", "deposit", "status_update", "position_split", "position_merge"],
    ...["positions_converted", "redemption"],
  ] as ReadonlyArray<EventType>,
  markets: [
    ...["settlement", "trade", "position_change", "status_update", "position_split", "position_merge"],
    ...["positions_converted", "redemption"],
  ] as ReadonlyArray<EventType>,
  redemptions: ["redemption"],
  deposits: ["deposit"],
  blocks: ["block"],
  large_trades: ["trade"],
  resolutions: ["oracle"],
  global: [
    ...["settlement", "status_update", "trade", "redemption", "position_change", "deposit", "block", "oracle"],
    ...["market_created", "market_resolved", "price_change", "score"],
  ] as ReadonlyArray<EventType>,
}

export interface Subscription {
  readonly type: string
  readonly filters: {
    readonly wallets?: ReadonlyArray<string>
    readonly tokens?: ReadonlyArray<string>
    readonly condition_ids?: ReadonlyArray<string>
    readonly side?: string
    readonly min_size?: number
    readonly max_size?: number
    readonly status?: string
    readonly event_types?: ReadonlyArray<EventType>
  }
}

/** Entities that subscriptions can name. */
export interface World {
  readonly wallets: ReadonlyArray<string>
  /** The condition of each token. */
  readonly tokens: ReadonlyMap<string, string>
  /** The tokens of each condition, by outcome. */
  readonly pairs: ReadonlyMap<string, ReadonlyArray<string>>
  readonly exchanges: ReadonlySet<string>
}

type Data = Readonly<Record<string, unknown>>

const walletFields: Readonly<Partial<Record<EventType, ReadonlyArray<string>>>> = {
  fill: ["user"],
  trade: ["maker"],
  position_change: ["from", "to"],
  position_split: ["stakeholder"],
  position_merge: ["stakeholder"],
  positions_converted: ["stakeholder"],
  redemption: ["redeemer"],
}

const walletsOf = (type: EventType, data: Data) =>
  type === "deposit"
    ? [data[data["direction"] === "deposit" ? "to" : "from"]]
    : (walletFields[type] ?? []).map((field) => data[field])

const tokensOf = (type: EventType, data: Data, world: World): ReadonlyArray<unknown> => {
  if ("token_id" in data) return [data["token_id"]]
  const both = world.pairs.get(String(data["condition_id"])) ?? []
  if (type !== "redemption") return both
  const outcomes = (data["index_sets"] as ReadonlyArray<number>).map((set) => Math.log2(set))
  return both.filter((_, outcome) => outcomes.includes(outcome))
}

const conditionOf = (data: Data, world: World) =>
  "token_id" in data ? world.tokens.get(String(data["token_id"])) : data["condition_id"]

/** In millionths of a dollar: the price paid for shares, or the amount itself. */
const sizeOf = (type: EventType, data: Data, trade: Data | undefined): number | undefined => {
  if (type === "fill" || type === "trade")
    return Number(trade?.[trade["side"] === "BUY" ? "maker_amount" : "taker_amount"])
  if (type === "redemption") return Number(data["payout_e6"])
  if (type === "position_change" || data["amount"] === undefined) return undefined
  return Math.round(Number(data["amount"]) * 1_000_000)
}

/** Whether a subscription includes a message, judged by the message's own fields. */
const includesMessage = (
  { type: stream, filters }: Subscription,
  message: FeedMessage,
  trade: Data | undefined,
  world: World,
) => {
  const { type, data } = message
  if (type === "reorg") return true
  if (!(filters.event_types ?? documentedTypes[stream] ?? []).includes(type)) return false
  const isTakerRow = (type === "fill" || type === "trade") && world.exchanges.has(String(data["taker"]))
  if (isTakerRow && filters.wallets === undefined) return false
  const wallets = walletsOf(type, data)
  if (filters.wallets !== undefined && !filters.wallets.some((wallet) => wallets.includes(wallet.toLowerCase())))
    return false
  const tokens = filters.tokens === undefined ? [] : tokensOf(type, data, world)
  if (filters.tokens !== undefined && !filters.tokens.some((token) => tokens.includes(token))) return false
  const condition = conditionOf(data, world)
  if (filters.condition_ids !== undefined && !filters.condition_ids.some((id) => id.toLowerCase() === condition))
    return false
  if (filters.side !== undefined && data["side"] !== filters.side.toUpperCase()) return false
  if (filters.status === "pending") return false
  const least = filters.min_size ?? (stream === "large_trades" ? 1000 : undefined)
  if (least === undefined && filters.max_size === undefined) return true
  const size = sizeOf(type, data, trade)
  if (size === undefined) return false
  return size >= (least ?? 0) * 1_000_000 && size <= (filters.max_size ?? Number.POSITIVE_INFINITY) * 1_000_000
}

/** The messages that a socket with these subscriptions receives: each once, in log order. */
export const expected = (
  subscriptions: ReadonlyArray<Subscription>,
  messages: ReadonlyArray<FeedMessage>,
  world: World,
) => {
  const trades = new Map(messages.filter(({ type }) => type === "trade").map(({ seq, data }) => [seq, data]))
  return messages.filter((message) =>
    subscriptions.some((each) => includesMessage(each, message, trades.get(message.seq), world)),
  )
}

const withoutConversions = (stream: string) =>
  documentedTypes[stream]?.filter((type) => type !== "positions_converted") ?? []

/** A random subscription to entities of this world. */
export const randomSubscription = (dice: Dice, world: World): Subscription => {
  const type = dice.pick(Object.keys(documentedTypes))
  const some = (list: ReadonlyArray<string>, most: number) =>
    Array.from({ length: dice.between(1, most) }, () => dice.pick(list))
  const upper = (text: string) => (dice.chance(0.2) ? `0x${text.slice(2).toUpperCase()}` : text)
  const isMarkets = dice.chance(0.4)
  const tokens = [...world.tokens.keys()]
  return {
    type,
    filters: {
      ...(dice.chance(0.5) ? { wallets: some(world.wallets, 60).map(upper) } : {}),
      ...(isMarkets && dice.chance(0.6) ? { tokens: some(tokens, 80) } : {}),
      ...(isMarkets && dice.chance(0.5) ? { condition_ids: some([...world.tokens.values()], 50).map(upper) } : {}),
      // A conversion message does not list all of its tokens.
      ...(isMarkets ? { event_types: withoutConversions(type) } : {}),
      ...(dice.chance(0.2) ? { side: dice.pick(["BUY", "SELL", "buy", "sell"]) } : {}),
      ...(dice.chance(0.25) ? { min_size: dice.skewed(0, 500) } : {}),
      // Large trades start above it: nothing could match.
      ...(type !== "large_trades" && dice.chance(0.15) ? { max_size: dice.between(500, 5_000) } : {}),
      ...(dice.chance(0.15) ? { status: dice.pick(["pending", "confirmed", "all"]) } : {}),
    },
  }
}
