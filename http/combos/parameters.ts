import { Schema } from "effect"
import { marketStatuses } from "#src/combos/ComboMarketStore.ts"
import { type ComboKind, comboKinds, moduleOperations } from "#src/domain/ComboKind.ts"
import { ConditionId } from "#src/domain/ConditionId.ts"
import { TokenId } from "#src/domain/TokenId.ts"
import { Wallet } from "#src/domain/Wallet.ts"
import { hashText } from "../input/hash.ts"
import { timeRange } from "../v3/parameters.ts"

const combo = (name: string) =>
  Schema.optionalKey(
    ConditionId.annotate({ description: `${name}: 0x and 62 or 64 hexadecimal digits; an unknown one is 404` }),
  )

export const ofMarket = {
  condition_id: combo("condition id of a combo"),
  market_id: combo("another name of `condition_id`"),
}
export const ofCombo = {
  ...ofMarket,
  position_id: Schema.optionalKey(
    TokenId.annotate({ description: "token id of a combo, in decimal digits; an unknown one is 404" }),
  ),
}

/** A transfer is seen from either side in lists of a wallet. */
export const eventKinds = ["execution", "prepare", "redeem", "transfer", ...moduleOperations] as const
export type EventKind = (typeof eventKinds)[number]

export const eventKind = {
  event_kind: Schema.optionalKey(
    Schema.Literals(eventKinds).annotate({ description: `only these: ${eventKinds.join(", ")}` }),
  ),
}

/** The stored kinds of a list, which has executions and transfers once unless it is of a wallet. */
export const kindsOf = (kind: EventKind | undefined, isOfWallet: boolean): ReadonlyArray<ComboKind> => {
  const sides: Readonly<Record<string, ReadonlyArray<ComboKind>>> = {
    execution: isOfWallet ? ["execution", "own_execution"] : ["execution"],
    transfer: isOfWallet ? ["transfer_out", "transfer_in"] : ["transfer_out"],
  }
  const shown: ReadonlyArray<EventKind> = kind === undefined ? eventKinds : [kind]
  return comboKinds.filter((each) => shown.some((name) => (sides[name] ?? [name]).some((stored) => stored === each)))
}

export const redemptionKinds = ["redeem", "compress"] as const

export const ofRedemption = {
  event_kind: Schema.optionalKey(
    Schema.Literals(redemptionKinds).annotate({ description: "redeem or compress; both by default" }),
  ),
  redemption_scope: Schema.optionalKey(
    Schema.Literals(["all", "full", "partial"]).annotate({
      description: "full: the whole combo was paid out; partial: resolved legs were removed from it; all by default",
    }),
  ),
  redemption_type: Schema.optionalKey(
    Schema.Literals(["all", "terminal", "reduction"]).annotate({
      description: "terminal: nothing is left of the shares; reduction: a smaller combo is; all by default",
    }),
  ),
  tx_hash: Schema.optionalKey(
    hashText("a transaction hash").annotate({
      description: "only of this transaction; needs a wallet, a combo, or `after` and `before`",
    }),
  ),
  ...timeRange("redemptions"),
}

export const ofWallet = {
  wallet: Schema.optionalKey(Wallet.annotate({ description: "only of this wallet: 0x and 40 hexadecimal digits" })),
}

export const side = {
  side: Schema.optionalKey(
    Schema.Literals(["buy", "sell", "both"]).annotate({ description: "buy, sell or both; both by default" }),
  ),
}

export const marketStatus = {
  status: Schema.optionalKey(
    Schema.Literals(marketStatuses).annotate({ description: `${marketStatuses.join(", ")}; all by default` }),
  ),
}
