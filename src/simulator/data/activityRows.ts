import { usd } from "../gamma/View.ts"
import { payoutOf } from "../world/Books.ts"
import { Act } from "../world/Facts.ts"
import type { Micro } from "../world/model.ts"
import type { Ledger } from "./Ledger.ts"
import { personFields } from "./people.ts"
import { marketFields, outcomeFields, secondGeneration, tradeRow } from "./rows.ts"

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
  [Act.match, "TRADE"],
  [Act.split, "SPLIT"],
  [Act.merge, "MERGE"],
  [Act.redeem, "REDEEM"],
  [Act.convert, "CONVERSION"],
  [Act.wrap, "DEPOSIT"],
  [Act.unwrap, "WITHDRAWAL"],
  [Act.migrate, "MIGRATION"],
  [Act.rebate, "MAKER_REBATE"],
  [Act.reward, "REWARD"],
])

/** Undefined for what is not shown. */
export const typeOf = ({ facts }: Ledger, act: number): ActivityType | undefined => typeOfKind.get(facts.kind.get(act))

/** One row of a wallet's activity: a filled order, an outcome that was redeemed, or a whole act. */
export interface Activity {
  readonly act: number
  readonly type: ActivityType
  /** -1 unless a trade. */
  readonly fill: number
  /** Undefined for a whole act. */
  readonly outcome: 0 | 1 | undefined
}

const bitsIn = (set: number): number => [...set.toString(2)].filter((bit) => bit === "1").length

/** What one outcome of a redemption was, in shares and in money. */
export const redeemed = (ledger: Ledger, act: number, outcome: 0 | 1) => {
  const { facts } = ledger
  const shares = (outcome === 0 ? facts.amount : facts.second).get(act)
  const [first, second] = ledger.market(facts.market.get(act)).payouts ?? [0, 0]
  const cash = first + second === 0 ? 0 : payoutOf(shares, outcome === 0 ? first : second, first + second)
  return { shares, cash }
}

/** What was moved, in shares and in money. */
export const amountsOf = (
  ledger: Ledger,
  { act, type, fill, outcome }: Activity,
): { readonly shares: Micro; readonly cash: Micro } => {
  const { facts } = ledger
  const amount = facts.amount.get(act)
  if (type === "TRADE") return { shares: facts.shares.get(fill), cash: facts.usd.get(fill) }
  if (type === "REDEEM") {
    if (outcome !== undefined) return redeemed(ledger, act, outcome)
    return { shares: amount + facts.second.get(act), cash: facts.extra.get(act) }
  }
  // The collateral of all but one of the questions given up.
  if (type === "CONVERSION") return { shares: amount, cash: amount * (bitsIn(facts.extra.get(act)) - 1) }
  return { shares: amount, cash: amount }
}

const nowhere = { title: "", slug: "", icon: "", eventSlug: "" }

export const activityRow = (ledger: Ledger, activity: Activity) => {
  const { act, type, fill, outcome } = activity
  const { facts } = ledger
  const { shares, cash } = amountsOf(ledger, activity)
  if (type === "TRADE") return { ...tradeRow(ledger, fill, act), type, usdcSize: usd(cash) }
  const wallet = ledger.wallet(facts.wallet.get(act))
  const market = facts.market.get(act) < 0 ? undefined : ledger.market(facts.market.get(act))
  const token = market === undefined || outcome === undefined ? undefined : ledger.token(market.tokens[outcome])
  return {
    proxyWallet: wallet.address,
    side: "",
    asset: token?.id ?? "",
    conditionId: market?.conditionId ?? "",
    size: usd(shares),
    price: 0,
    timestamp: ledger.timeOf(act),
    ...(market === undefined ? nowhere : marketFields(market)),
    ...(token === undefined ? { outcome: "", outcomeIndex: 999 } : outcomeFields(token)),
    ...personFields(ledger, wallet),
    transactionHash: ledger.sim.chain.transactionHash(act),
    type,
    usdcSize: usd(cash),
  }
}

/** What does not apply is null, where the first generation leaves it empty. */
export const activityRow2 = (ledger: Ledger, activity: Activity): object => {
  const row = secondGeneration(activityRow(ledger, activity))
  for (const name of ["side", "token_id", "condition_id", "outcome"]) row[name] ||= null
  const market = ledger.facts.market.get(activity.act)
  return market >= 0 && ledger.market(market).legs !== undefined ? { ...row, is_combo: true } : row
}
