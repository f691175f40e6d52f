import type { V3Choice } from "../support/v3.ts"

/** A list or an answer that clients request, and the longest that its p99 may be, in milliseconds. */
export interface Request {
  readonly name: string
  readonly paths: (choice: V3Choice) => ReadonlyArray<string>
  readonly most: number
  /** Whether pages far behind the first are requested by cursor as well. */
  readonly hasPages: boolean
  /** Whether the rival has it. */
  readonly hasRival: boolean
}

export const firstPage = 25
const halfYear = 180 * 86_400

const list = (name: string, paths: Request["paths"], hasRival = false): Request => ({
  name,
  paths,
  most: firstPage,
  hasPages: true,
  hasRival,
})

const ofTraders =
  (path: string): Request["paths"] =>
  ({ traders }) =>
    traders.map((wallet) => `/v3/wallets/${wallet}${path}`)
const ofHolders =
  (path: string): Request["paths"] =>
  ({ holders }) =>
    holders.map((wallet) => `/v3/wallets/${wallet}${path}`)

export const requests: ReadonlyArray<Request> = [
  list("trades of a wallet", ofTraders("/trades"), true),
  list("  sales of at least 100 dollars", ofTraders("/trades?side=sell&min_amount_usd=100"), true),
  list("  by order", ofTraders("/trades?group_by=order_hash")),
  list("trades of a token", ({ tokens }) => tokens.map((token) => `/v3/markets/${token}/trades`), true),
  list("trades of a market", ({ slugs }) => slugs.map((slug) => `/v3/markets/slug/${slug}/trades`), true),
  list("trades of an event", ({ event }) => [`/v3/trades?event_slug=${event}`]),
  list("trades of everybody", () => ["/v3/trades"], true),
  list("positions of a wallet", ofHolders("/positions"), true),
  list("  open, by value", ofHolders("/positions?status=open&sort=size")),
  list("positions in a token", ({ tokens }) => tokens.map((token) => `/v3/markets/${token}/positions`), true),
  list("positions in a condition", ({ conditions }) => conditions.map((id) => `/v3/markets/condition/${id}/positions`)),
  list("positions in a market", ({ slugs }) => slugs.map((slug) => `/v3/markets/slug/${slug}/positions`)),
  list("positions of everybody", () => ["/v3/positions"]),
  list("activity of a wallet", ofHolders("/activity")),
  list("  redemptions", ofHolders("/redemptions"), true),
  list("  splits", ofHolders("/splits")),
  list("  fees paid", ofTraders("/fees-paid")),
  list("  deposits and withdrawals", ofTraders("/polyusd-flows")),
  list("fees", () => ["/v3/fees"]),
  { name: "summary of a wallet", paths: ofHolders(""), most: firstPage, hasPages: false, hasRival: true },
  {
    name: "P&L of a wallet in 180 days",
    paths: ({ traders, newest }) => traders.map((wallet) => `/v3/wallets/${wallet}/pnl?after=${newest - halfYear}`),
    most: 150,
    hasPages: false,
    hasRival: true,
  },
  {
    name: "P&L of a wallet by day, 180 days",
    paths: ({ traders, newest }) =>
      traders.map((wallet) => `/v3/wallets/${wallet}/pnl/events?after=${newest - halfYear}`),
    most: 150,
    hasPages: false,
    hasRival: true,
  },
  {
    name: "volume of a token",
    paths: ({ tokens }) => tokens.map((token) => `/v2/onchain/markets/${token}/volume`),
    most: firstPage,
    hasPages: false,
    hasRival: true,
  },
  { name: "totals of the ledger", paths: () => ["/v3/stats"], most: firstPage, hasPages: false, hasRival: false },
]
