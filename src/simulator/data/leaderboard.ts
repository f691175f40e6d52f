import { usd } from "../gamma/GammaView.ts"
import { isVerified, xUsernameOf } from "../world/wallets.ts"
import { type Board, type Category, categoryNames, type Measure, periodNames } from "./Boards.ts"
import type { Params } from "./Params.ts"
import { type OffsetLimits, offsetPageIn, pinnedPage, pinnedQuery, type V2Response } from "./pagination.ts"
import { nameOf } from "./rows.ts"
import { walletIn } from "./selection.ts"
import type { Sources } from "./sources.ts"

const limits: OffsetLimits = { defaultLimit: 25, maxLimit: 50, maxOffset: 1_000, rows: "leaderboard" }

const v1Categories = categoryNames.filter((name) => name !== "COMBOS" && name !== "ESPORTS")

const boardIn = ({ boards }: Sources, params: Params, categories: ReadonlyArray<Category>): Board =>
  boards.get(params.choice("time_period", periodNames) ?? "DAY", params.choice("category", categories) ?? "OVERALL")

/** The wallets of one user, by address or name; undefined for the whole board. */
const userIn = ({ ledger }: Sources, params: Params): ReadonlyArray<number> | undefined => {
  const wallet = walletIn(ledger, params)
  if (wallet !== undefined) return [wallet]
  const name = params.text("user_name")?.toLowerCase()
  if (name === undefined) return undefined
  return ledger.sim.model.wallets
    .filter((each) => nameOf(ledger, each).toLowerCase() === name)
    .map(({ index }) => index)
}

export const leaderboard = (sources: Sources, params: Params): ReadonlyArray<object> => {
  const { ledger } = sources
  const { offset, limit } = offsetPageIn(params, limits)
  const user = userIn(sources, params)
  const board = boardIn(sources, params, v1Categories)
  const ranking = board.ranking(params.choice("order_by", ["PNL", "VOL"]) === "VOL" ? "usd" : "pnl")
  const wallets = user?.filter((wallet) => ranking.rankOf(wallet) !== undefined) ?? ranking.wallets
  return wallets.slice(offset, offset + limit).map((index) => {
    const wallet = ledger.wallet(index)
    return {
      rank: String(ranking.rankOf(index)),
      proxyWallet: wallet.address,
      userName: nameOf(ledger, wallet),
      vol: usd(board.of(index, "usd")),
      pnl: usd(board.of(index, "pnl")),
      profileImage: "",
      xUsername: xUsernameOf(wallet),
      verifiedBadge: isVerified(wallet),
    }
  })
}

const rowV2 = ({ ledger }: Sources, board: Board, index: number) => {
  const wallet = ledger.wallet(index)
  return {
    user_id: wallet.address,
    pnl: usd(board.of(index, "pnl")),
    volume: usd(board.of(index, "shares")),
    user_name: nameOf(ledger, wallet),
    profile_image: "",
    x_username: xUsernameOf(wallet),
    verified: isVerified(wallet),
  }
}

/** A user who is not on the board has null ranks. */
const userRowV2 = (sources: Sources, board: Board, measure: Measure, index: number, address: string) => {
  const rankBy = (by: Measure) => board.ranking(by).rankOf(index) ?? null
  const unknown = {
    user_id: address,
    pnl: 0,
    volume: 0,
    user_name: null,
    profile_image: null,
    x_username: null,
    verified: false,
  }
  return {
    rank: rankBy(measure),
    ...(index < 0 ? unknown : rowV2(sources, board, index)),
    rank_pnl: rankBy("pnl"),
    rank_volume: rankBy("shares"),
  }
}

export const leaderboardV2 = (sources: Sources, sent: Params): V2Response => {
  const query = pinnedQuery(sent)
  const { params } = query
  const board = boardIn(sources, params, categoryNames)
  const measure = params.choice("sort_by", ["PNL", "VOLUME"]) === "VOLUME" ? "shares" : "pnl"
  const user = walletIn(sources.ledger, params)
  if (user !== undefined) return { data: userRowV2(sources, board, measure, user, params.required("user")) }
  const ranking = board.ranking(measure)
  return pinnedPage(
    query,
    ranking.wallets,
    (wallet) => ({ value: board.of(wallet, measure), id: wallet }),
    (wallet) => ({ rank: ranking.rankOf(wallet), ...rowV2(sources, board, wallet) }),
  )
}
