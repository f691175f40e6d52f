import type { EventType } from "#src/feed/model.ts"

/** Event streams and the events they carry. `oracle` and `orderbook` have their own messages. */
export const eventStreams = {
  fills: ["fill"],
  settlements: ["settlement", "status_update"],
  trades: ["settlement", "status_update", "trade"],
  prices: ["settlement", "trade"],
  wallets: [
    "settlement",
    "trade",
    "position_change",
    "deposit",
    "status_update",
    "position_split",
    "position_merge",
    "positions_converted",
    "redemption",
  ],
  markets: [
    "settlement",
    "trade",
    "position_change",
    "status_update",
    "position_split",
    "position_merge",
    "positions_converted",
    "redemption",
  ],
  redemptions: ["redemption"],
  deposits: ["deposit"],
  blocks: ["block"],
  large_trades: ["trade"],
  resolutions: ["oracle"],
  combos: ["combo_execution", "combo_status_update"],
  sports: ["score"],
  global: [
    "settlement",
    "status_update",
    "trade",
    "redemption",
    "position_change",
    "deposit",
    "block",
    "oracle",
    "market_created",
    "market_resolved",
    "price_change",
    "score",
  ],
} as const satisfies Readonly<Record<string, ReadonlyArray<EventType>>>

export type EventStream = keyof typeof eventStreams

/** Only sent to subscriptions that list them in `event_types`. */
export const optionalEvents: Readonly<Partial<Record<EventStream, ReadonlyArray<EventType>>>> = {
  combos: ["combo_lifecycle", "combo_approval"],
  markets: ["market_created", "market_resolved", "price_change", "oracle"],
  prices: ["price_change"],
}

export const streamTypes = [...(Object.keys(eventStreams) as Array<EventStream>), "oracle", "orderbook"] as const
export type StreamType = (typeof streamTypes)[number]

/** Names used by other services. */
export const aliases: Readonly<Record<string, StreamType>> = { chainlink: "oracle", dome: "fills" }

/** The stream of a subscribe message; naming order books implies `orderbook`. */
export const streamOfMessage = ({ type, token_ids, markets }: { readonly [field: string]: unknown }): StreamType =>
  type === undefined && (token_ids !== undefined || markets !== undefined)
    ? "orderbook"
    : streamOf(type as string | undefined)

/** Resolves aliases; defaults to settlements. */
export const streamOf = (name: string | undefined): StreamType =>
  name === undefined ? "settlements" : (aliases[name] ?? (name as StreamType))

export const isEventStream = (type: StreamType): type is EventStream => type in eventStreams
