import postgres from "postgres"
import type { CopySqlSubject, LedgerWallet, WalletScore } from "../support/copyPnl.ts"
import { expose } from "../support/expose.ts"

/** Enough to keep the cores busy. */
const connections = 4

const days = [7, 14, 30, 60, 90, 180]

const others = (["split", "merge", "redemption", "conversion"] as const).map((table) => {
  const amount = { split: "-amount", merge: "amount", redemption: "payout", conversion: "paid" }[table]
  return `select at, ${amount}, ${amount}, 0 from ${table} where wallet = $1 and at > $3 and at <= $2`
})

/** Cash flows, actual and for a copier that trades at 2 % worse prices. */
const flows = `
  select to_timestamp(at) as at, case when not is_sale then -usd else usd end as actual,
    case when not is_sale then -least(floor(usd * 1.02 + 0.5), shares) else floor(usd * 0.98 + 0.5) end as backtest, 1 as trade
  from fill where maker = $1 and at > extract(epoch from $3::timestamptz) and at <= extract(epoch from $2::timestamptz)
  union all ${others.join(" union all ")}`

const sums = days.map(
  (each) =>
    `sum(actual) filter (where at > $2::timestamptz - interval '${each} days') as actual_${each},
     sum(backtest) filter (where at > $2::timestamptz - interval '${each} days') as backtest_${each},
     sum(trade) filter (where at > $2::timestamptz - interval '${each} days') as trades_${each}`,
)

type Row = Readonly<Record<string, string | null>>

const forEachWallet = async (wallets: ReadonlyArray<LedgerWallet>, work: (wallet: LedgerWallet) => Promise<void>) => {
  const waiting = [...wallets]
  const one = async () => {
    for (let wallet = waiting.pop(); wallet !== undefined; wallet = waiting.pop()) await work(wallet)
  }
  const since = performance.now()
  await Promise.all(Array.from({ length: connections }, one))
  return (performance.now() - since) / 1000
}

const parametersOf = ({ id }: LedgerWallet, now: number) => [id, new Date(now), new Date(now - 180 * 86_400_000)]

// One statement for all six periods of a wallet.
expose<CopySqlSubject>({
  score: async (url, wallets, now) => {
    const sql = postgres(url, { max: connections })
    const scores: Array<WalletScore> = []
    const seconds = await forEachWallet(wallets, async (wallet) => {
      const [row] = await sql.unsafe<Array<Row>>(
        `select ${sums.join(", ")} from (${flows}) f`,
        parametersOf(wallet, now),
      )
      scores.push({
        wallet: wallet.wallet,
        actual: row?.["actual_180"] ?? "0",
        backtest: row?.["backtest_180"] ?? "0",
        trades: Number(row?.["trades_180"] ?? 0),
      })
    })
    await sql.end()
    return { seconds, scores }
  },
  read: async (url, wallets, now) => {
    const sql = postgres(url, { max: connections })
    const seconds = await forEachWallet(wallets, async (wallet) => {
      await sql.unsafe(`select count(*), max(actual) from (${flows}) f`, parametersOf(wallet, now))
    })
    await sql.end()
    return seconds
  },
})
