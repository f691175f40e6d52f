import { usd } from "../gamma/GammaView.ts"
import { payoutOf } from "../world/Books.ts"
import { TxKind } from "../world/Facts.ts"
import type { Micro } from "../world/model.ts"
import type { Ledger } from "./Ledger.ts"
import { marketFields, outcomeFields, profileFields, toV2Row, tradeRow } from "./rows.ts"

export const activityTypes = [
  "TRADE",
  "SPLIT",
  "MERGE",
  "REDEEM",
  "REWARD",
  "CONVERSION",
  "MAKER_REBATE",
  "TAKER_REBATE",
  "REFERRAL_REWARD",
  "YIELD",
  "DEPOSIT",
  "WITHDRAWAL",
  "MIGRATION",
  "TIP",
] as const
export type ActivityType = (typeof activityTypes)[number]

const typeOfKind = new Map<number, ActivityType>([
  [TxKind.match, "TRADE"],
  [TxKind.split, "SPLIT"],
  [TxKind.merge, "MERGE"],
  [TxKind.redeem, "REDEEM"],
  [TxKind.convert, "CONVERSION"],
  [TxKind.wrap, "DEPOSIT"],
  [TxKind.unwrap, "WITHDRAWAL"],
  [TxKind.migrate, "MIGRATION"],
  [TxKind.rebate, "MAKER_REBATE"],
  [TxKind.reward, "REWARD"],
])

/** Undefined for kinds that are not reported. */
export const typeOf = ({ facts }: Ledger, tx: number): ActivityType | undefined => typeOfKind.get(facts.kind.get(tx))

/** One activity row: a fill, a redeemed outcome, or a whole transaction. */
export interface Activity {
  readonly tx: number
  readonly type: ActivityType
  /** -1 unless a trade. */
  readonly fill: number
  /** Undefined for a whole transaction. */
  readonly outcome: 0 | 1 | undefined
}

const countBits = (set: number): number => [...set.toString(2)].filter((bit) => bit === "1").length

/** Shares and payout of one redeemed outcome. */
export const redemptionOf = (ledger: Ledger, tx: number, outcome: 0 | 1) => {
  const { facts } = ledger
  const shares = (outcome === 0 ? facts.amount : facts.second).get(tx)
  const [first, second] = ledger.market(facts.market.get(tx)).payouts ?? [0, 0]
  const cash = first + second === 0 ? 0 : payoutOf(shares, outcome === 0 ? first : second, first + second)
  return { shares, cash }
}

/** The amount in shares and in USD. */
export const amountsOf = (
  ledger: Ledger,
  { tx, type, fill, outcome }: Activity,
): { readonly shares: Micro; readonly cash: Micro } => {
  const { facts } = ledger
  const amount = facts.amount.get(tx)
  if (type === "TRADE") return { shares: facts.shares.get(fill), cash: facts.usd.get(fill) }
  if (type === "REDEEM") {
    if (outcome !== undefined) return redemptionOf(ledger, tx, outcome)
    return { shares: amount + facts.second.get(tx), cash: facts.extra.get(tx) }
  }
  // Returns the collateral of all converted questions but one.
  if (type === "CONVERSION") return { shares: amount, cash: amount * (countBits(facts.extra.get(tx)) - 1) }
  return { shares: amount, cash: amount }
}

const noMarket = { title: "", slug: "", icon: "", eventSlug: "" }

export const activityRow = (ledger: Ledger, activity: Activity) => {
  const { tx, type, fill, outcome } = activity
  const { facts } = ledger
  const { shares, cash } = amountsOf(ledger, activity)
  if (type === "TRADE") return { ...tradeRow(ledger, fill, tx), type, usdcSize: usd(cash) }
  const wallet = ledger.wallet(facts.wallet.get(tx))
  const market = facts.market.get(tx) < 0 ? undefined : ledger.market(facts.market.get(tx))
  const token = market === undefined || outcome === undefined ? undefined : ledger.token(market.tokens[outcome])
  return {
    proxyWallet: wallet.address,
    side: "",
    asset: token?.id ?? "",
    conditionId: market?.conditionId ?? "",
    size: usd(shares),
    price: 0,
    timestamp: ledger.timeOf(tx),
    ...(market === undefined ? noMarket : marketFields(ledger.sim, market)),
    ...(token === undefined ? { outcome: "", outcomeIndex: 999 } : outcomeFields(token)),
    ...profileFields(ledger, wallet),
    transactionHash: ledger.sim.chain.transactionHash(tx),
    type,
    usdcSize: usd(cash),
  }
}

/** Fields that do not apply are null; v1 leaves them empty. */
export const activityRowV2 = (ledger: Ledger, activity: Activity): object => {
  const row = toV2Row(activityRow(ledger, activity))
  for (const name of ["side", "token_id", "condition_id", "outcome"]) row[name] ||= null
  const market = ledger.facts.market.get(activity.tx)
  return market >= 0 && ledger.market(market).legs !== undefined ? { ...row, is_combo: true } : row
}
