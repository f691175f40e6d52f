import type { ClientMessage } from "./client.ts"
import { sample } from "./server/fields.ts"

interface Example {
  readonly name: string
  readonly summary: string
  readonly payload: ClientMessage
}

/** What clients say, for whoever reads the documentation. */
export const clientExamples: Readonly<Record<ClientMessage["action"], ReadonlyArray<Example>>> = {
  subscribe: [
    {
      name: "prices",
      summary: "Prices of two coins, beginning with those of the last minute",
      payload: {
        action: "subscribe",
        type: "oracle",
        filters: { feeds: ["BTC/USD", "ETH/USD"] },
        since: sample.moment - 60_000,
      },
    },
    {
      name: "fills",
      summary: "The newest ten fills of a market, then every new one",
      payload: {
        action: "subscribe",
        type: "fills",
        filters: { slugs: ["will-it-rain-tomorrow"], min_size: 10 },
        snapshot_count: 10,
      },
    },
    {
      name: "wallets",
      summary: "Everything that a wallet does, on from where the last connection stopped",
      payload: {
        action: "subscribe",
        type: "wallets",
        filters: { wallets: [sample.maker] },
        resume: { epoch: sample.epoch, seq: sample.seq, subscriber_id: sample.subscriber },
      },
    },
    {
      name: "orderbook",
      summary: "One more order book",
      payload: { action: "subscribe", type: "orderbook", token_ids: [sample.token] },
    },
  ],
  update: [
    {
      name: "update",
      summary: "Other filters for a subscription, without a gap",
      payload: {
        action: "update",
        subscription_id: sample.subscription,
        filters: { wallets: [sample.maker, sample.taker] },
      },
    },
  ],
  unsubscribe: [
    {
      name: "one",
      summary: "End one subscription",
      payload: { action: "unsubscribe", subscription_id: sample.subscription },
    },
    {
      name: "books",
      summary: "End some order books",
      payload: { action: "unsubscribe", type: "orderbook", token_ids: [sample.token] },
    },
    { name: "all", summary: "End everything", payload: { action: "unsubscribe" } },
  ],
  resync: [
    {
      name: "resync",
      summary: "The copy of a book does not fit its checksum",
      payload: { action: "resync", token_ids: [sample.token] },
    },
  ],
  ping: [{ name: "ping", summary: "Are you there?", payload: { action: "ping" } }],
}
