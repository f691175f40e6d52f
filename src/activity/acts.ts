import type { Shares, Usdc } from "#src/domain/amounts.ts"
import { tokenOfHex } from "#src/domain/TokenId.ts"
import type { List, ListSource } from "./listSql.ts"
import { marketColumns, marketJoins, redeemedOutcomesSql } from "./marketSql.ts"
import { type ActivityKind, activityKinds, type ListedAct, type ListedMarket } from "./model.ts"

/** What a kind has of the columns that all of them have. */
const columnsOf = (own: {
  readonly amount: string
  readonly condition?: string
  readonly token?: string
  readonly other?: string
  readonly negRiskMarket?: string
  readonly questions?: string
  readonly questionCount?: string
  readonly tokens?: string
}) => `
  ${own.amount} as amount, ${own.condition ?? "null::int"} as of_condition, ${own.token ?? "null::int"} as token,
  ${own.other ?? "null::int"} as other, ${own.negRiskMarket ?? "null::bytea"} as neg_risk_market,
  ${own.questions ?? "null::int[]"} as questions, ${own.questionCount ?? "null::int"} as question_count,
  ${own.tokens ?? "null::int[]"} as tokens`

const pair = { owner: "wallet", columns: columnsOf({ amount: "f.amount", condition: "f.condition" }) }
const transfer = (other: "sender" | "receiver") => ({
  table: "transfer",
  columns: columnsOf({ amount: "f.shares", token: "f.token", other: `f.${other}` }),
  sub: "f.sub",
})

const sources: Readonly<Record<ActivityKind, Omit<ListSource, "kind">>> = {
  split: { table: "split", ...pair },
  merge: { table: "merge", ...pair },
  redemption: {
    table: "redemption",
    owner: "wallet",
    columns: columnsOf({ amount: "f.payout", condition: "f.condition", tokens: "f.tokens" }),
  },
  conversion: {
    table: "conversion",
    owner: "wallet",
    columns: columnsOf({
      amount: "f.amount",
      negRiskMarket: "f.neg_risk_market",
      questions: "f.questions",
      // Every question of the market is either given up as NO or received as YES, unless all are given up.
      questionCount: "case when f.neg_risk_market is not null then cardinality(f.nos) + cardinality(f.yeses) end",
    }),
  },
  transfer_in: { ...transfer("sender"), owner: "receiver" },
  transfer_out: { ...transfer("receiver"), owner: "sender" },
}

interface Row extends ListedMarket {
  readonly amount: Usdc<bigint> | Shares<bigint>
  readonly token: string | null
  readonly other: string | null
  readonly neg_risk_market: string | null
  readonly questions: ReadonlyArray<number> | null
  readonly question_count: number | null
  readonly redeemed: ReadonlyArray<number> | null
}

const columns = `
  f.amount, encode(k.hash, 'hex') as token, '0x' || encode(w.address, 'hex') as other,
  '0x' || encode(f.neg_risk_market, 'hex') as neg_risk_market, f.questions, f.question_count,
  ${redeemedOutcomesSql} as redeemed, ${marketColumns}`

const joins = `
  left join token k on k.id = f.token
  left join wallet w on w.id = f.other
  ${marketJoins("coalesce(f.of_condition, k.condition)")}`

/** What wallets did besides trading, of some kinds. */
export const actsOf = (kinds: ReadonlyArray<ActivityKind>, where?: string): List<Row, ListedAct> => ({
  sources: kinds.map((type) => ({
    ...sources[type],
    kind: activityKinds.indexOf(type),
    ...(where === undefined ? {} : { where }),
  })),
  columns,
  joins,
  read: (row, listed) => ({
    ...listed,
    type: activityKinds[listed.kind] ?? "split",
    amount: row.amount,
    token: row.token === null ? null : tokenOfHex(row.token),
    other: row.other,
    negRiskMarket: row.neg_risk_market,
    questions: row.questions,
    questionCount: row.question_count,
    outcomes: row.redeemed,
    condition: row.condition,
    title: row.title,
    slug: row.slug,
    image: row.image,
  }),
})
