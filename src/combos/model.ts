import { Schema } from "effect"
import type { ActivityPlace, Listed } from "#src/activity/model.ts"
import type { Price, Shares, Usdc } from "#src/domain/amounts.ts"
import type { ComboKind } from "#src/domain/ComboKind.ts"
import type { AsOf } from "#src/ledger/asOf.ts"
import type { ComboLeg } from "#src/positions/list/model.ts"
import type { PriceSource } from "#src/positions/ShownPosition.ts"

/** The market of a leg, as the catalogue has it. */
export interface LegMarket {
  readonly title: string
  readonly slug: string
  readonly image: string | null
  readonly eventTitle: string | null
  readonly eventSlug: string | null
  readonly isActive: boolean
  readonly isClosed: boolean
  readonly acceptsOrders: boolean
}

/** An outcome that a combo needs. */
export interface ListedLeg {
  /** Token id of the newer contracts, as the combo names it. */
  readonly position: string
  readonly condition: string
  readonly outcomeIndex: number
  readonly outcome: string | null
  /** The token that is traded for it; null while it is not known. */
  readonly token: string | null
  readonly status: ComboLeg["status"]
  readonly winner: number | null
  /** In 10⁻⁶; null if there is none. */
  readonly price: Price | null
  readonly priceSource: PriceSource | null
  /** Null while it is not listed. */
  readonly market: LegMarket | null
}

export interface ListedCombo {
  readonly condition: string
  readonly yes: string
  readonly no: string
  /** All legs with their outcomes; null while none is listed. */
  readonly title: string | null
  /** Empty while they are unknown. */
  readonly legs: ReadonlyArray<ListedLeg>
}

/** What a list is restricted to. Ids are in lower case with 0x, tokens in decimal digits. */
export interface ComboFilter {
  readonly wallet?: string | undefined
  readonly condition?: string | undefined
  /** The name that the client has for `condition`. */
  readonly conditionParameter?: "condition_id" | "market_id" | undefined
  readonly position?: string | undefined
  readonly kinds: ReadonlyArray<ComboKind>
  readonly tx?: string | undefined
  /** Of executions: whether the wallet sells. */
  readonly isSale?: boolean | undefined
  readonly after?: number | undefined
  readonly before?: number | undefined
}

export interface ComboQuery {
  readonly filter: ComboFilter
  readonly order: "asc" | "desc"
  readonly limit: number
  readonly offset: number
  readonly behind: ActivityPlace | undefined
}

/** Something that happened to a combo. Amounts are integers of 10⁻⁶. */
export interface ComboEvent extends Listed {
  readonly type: ComboKind
  /** Null for the preparation of a combo. */
  readonly wallet: string | null
  /** The other wallet of a transfer or execution; the exchange if the order started the match. */
  readonly other: string | null
  readonly condition: string
  /** Null if it concerns both outcomes. */
  readonly token: string | null
  readonly shares: Shares<bigint>
  /** Collateral that was traded, split, merged or paid. */
  readonly usd: Usdc<bigint>
  /** Tokens that were given up and received. */
  readonly given: ReadonlyArray<string>
  readonly received: ReadonlyArray<string>
  readonly combo: ListedCombo | undefined
}

/** A filled order. */
export interface ComboTrade extends ComboEvent {
  readonly isSale: boolean
  readonly fee: Usdc<bigint>
  readonly orderHash: string
}

/** Shares that were paid out, or whose resolved legs were removed. */
export interface ComboRedemption extends ComboEvent {
  /** What is left of the combo; undefined if nothing is. */
  readonly remaining:
    | {
        readonly token: string
        readonly combo: ListedCombo | undefined
        readonly created: bigint
        /** Shares that the wallet has now. */
        readonly balance: bigint
        readonly isResolved: boolean
      }
    | undefined
}

export interface ComboPage<A> {
  readonly rows: ReadonlyArray<A>
  readonly next: ActivityPlace | undefined
  readonly asOf: AsOf | undefined
}

/** Neither the ledger knows such a combo, or the id is of something else. */
export class UnknownCombo extends Schema.TaggedError<UnknownCombo>()("UnknownCombo", {
  parameter: Schema.String,
  value: Schema.String,
}) {}
