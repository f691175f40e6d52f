import { iso } from "../gamma/times.ts"
import { usd } from "../gamma/View.ts"
import { hash } from "../random.ts"
import { joinedAt } from "../world/people.ts"
import type { Params } from "./Params.ts"
import type { Answer } from "./page.ts"
import { newestPoint } from "./pnlPoint.ts"
import { Refusal } from "./refusal.ts"
import { requiredWallet } from "./selection.ts"
import type { Sources } from "./sources.ts"
import { marketsTraded } from "./totals.ts"

const biggestWin = ({ ledger, holdings }: Sources, wallet: number): number => {
  let biggest = 0
  for (const position of holdings.ofWallet(wallet)) biggest = Math.max(biggest, ledger.books.realized.get(position))
  return biggest
}

export const userStats = (sources: Sources, params: Params): Answer => {
  const { ledger } = sources
  const index = requiredWallet(ledger, params)
  if (index < 0) throw new Refusal(404, "user not found", "user")
  const wallet = ledger.wallet(index)
  return {
    data: {
      proxy_wallet: wallet.address,
      trades: marketsTraded(sources, index),
      biggest_win: usd(biggestWin(sources, index)),
      views: hash(index, 20) % 5_000,
      join_date: iso(joinedAt(wallet, ledger.sim.made.world.start)),
      all_time_pnl: newestPoint(sources, index),
    },
  }
}
