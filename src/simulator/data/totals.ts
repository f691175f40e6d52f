import { usd } from "../gamma/GammaView.ts"
import type { Market } from "../world/Venue.ts"
import { isVerified } from "../world/wallets.ts"
import { priceOf } from "./Holdings.ts"
import type { Ledger } from "./Ledger.ts"
import { invalid, type Params } from "./Params.ts"
import { profileFields } from "./rows.ts"
import { byMarket, marketsIn, namedMarkets, requiredWallet } from "./selection.ts"
import type { Sources } from "./sources.ts"

const maxHolders = 20
const maxMarkets = 20

const holdersOf = (ledger: Ledger, token: number, minShares: number, limit: number) => {
  const { books } = ledger
  return [...books.holdersOf(token)]
    .filter((position) => books.shares.get(position) > 0 && books.shares.get(position) >= minShares)
    .sort((a, b) => books.shares.get(b) - books.shares.get(a) || a - b)
    .slice(0, limit)
    .map((position) => {
      const wallet = ledger.wallet(books.walletOf.get(position))
      return {
        proxyWallet: wallet.address,
        asset: ledger.token(token).id,
        amount: usd(books.shares.get(position)),
        outcomeIndex: ledger.token(token).outcome,
        ...profileFields(ledger, wallet),
        displayUsernamePublic: wallet.name !== undefined,
        verified: isVerified(wallet),
      }
    })
}

export const holders = ({ ledger }: Sources, params: Params): ReadonlyArray<object> => {
  params.required("market")
  const limit = Math.min(params.integer("limit") ?? maxHolders, maxHolders)
  const minShares = (params.number("min_balance") ?? 1) * 1_000_000
  return namedMarkets(ledger, params, "market", maxMarkets).flatMap((market) =>
    ledger
      .market(market)
      .tokens.map((token) => ({ token: ledger.token(token).id, holders: holdersOf(ledger, token, minShares, limit) })),
  )
}

/** Current value of a user's shares. */
export const value = ({ ledger, holdings }: Sources, params: Params): ReadonlyArray<object> => {
  const wallet = requiredWallet(ledger, params)
  const markets = marketsIn(ledger, params, byMarket)
  const { books } = ledger
  let total = 0
  for (const position of holdings.ofWallet(wallet)) {
    const shares = books.shares.get(position)
    const token = ledger.token(books.tokenOf.get(position))
    if (shares > 0 && (markets?.has(token.market.index) ?? true)) total += Math.round(shares * priceOf(ledger, token))
  }
  return [{ user: params.required("user"), value: usd(total) }]
}

export const marketsTraded = ({ ledger, holdings }: Sources, wallet: number): number => {
  const markets = new Set<number>()
  for (const position of holdings.ofWallet(wallet)) {
    markets.add(ledger.token(ledger.books.tokenOf.get(position)).market.index)
  }
  return markets.size
}

export const traded = (sources: Sources, params: Params): object => ({
  user: params.required("user"),
  traded: marketsTraded(sources, requiredWallet(sources.ledger, params)),
})

const openInterestOf = ({ payouts, openInterest }: Market) => (payouts === undefined ? openInterest : 0)

export const openInterest = ({ ledger }: Sources, params: Params): ReadonlyArray<object> => {
  if (params.list("market").length > 0) {
    return namedMarkets(ledger, params, "market", byMarket.maxIds).map((index) => {
      const market = ledger.market(index)
      return { market: market.conditionId, value: usd(openInterestOf(market)) }
    })
  }
  let total = 0
  for (const market of ledger.venue.markets) total += openInterestOf(market)
  return [{ market: "GLOBAL", value: usd(total) }]
}

/** Volume of the markets of an event, in USD. */
export const liveVolume = ({ ledger }: Sources, params: Params): ReadonlyArray<object> => {
  const id = params.required("id")
  if (!/^\d{1,15}$/.test(id)) throw invalid("id is not a valid integer", "id")
  const event = ledger.eventWithId(id)
  if (event === undefined) return []
  const markets = event.markets.map((index) => ledger.market(index))
  return [
    {
      total: usd(markets.reduce((sum, { volume }) => sum + volume, 0)),
      markets: markets.map(({ conditionId, volume }) => ({ market: conditionId, value: usd(volume) })),
    },
  ]
}
