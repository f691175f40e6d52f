import type { Series } from "../model.ts"
import { coins } from "../oracle.ts"
import { coinNames } from "./crypto/names.ts"
import { leagues } from "./sports/leagues.ts"

const recurrences = ["5m", "15m", "hourly", "4h", "daily", "weekly", "monthly"] as const
export type Recurrence = (typeof recurrences)[number]

const fiveMinuteIds: Readonly<Record<string, string>> = {
  BTC: "10684",
  ETH: "10683",
  XRP: "10685",
  SOL: "10686",
  DOGE: "11325",
  BNB: "11326",
  HYPE: "11327",
}

/** Series that use the coin's long name, as on the venue. */
const longNamed: Readonly<Record<string, ReadonlyArray<string>>> = { hourly: ["SOL"], daily: ["SOL", "DOGE"] }

const titleEnds: Readonly<Record<Recurrence, string>> = {
  "5m": "Up or Down 5m",
  "15m": "Up or Down 15m",
  hourly: "Up or Down Hourly",
  "4h": "Up or Down 4h",
  daily: "Up or Down Daily",
  weekly: "Multi Strikes Weekly",
  monthly: "Price Ranges Monthly",
}

const slugEnds: Readonly<Record<Recurrence, string>> = {
  "5m": "up-or-down-5m",
  "15m": "up-or-down-15m",
  hourly: "up-or-down-hourly",
  "4h": "up-or-down-4h",
  daily: "up-or-down-daily",
  weekly: "multi-strikes-weekly",
  monthly: "price-ranges-monthly",
}

const cryptoSeriesOf = (coin: number): ReadonlyArray<Series> =>
  recurrences.map((recurrence, i) => {
    const symbol = coins[coin]?.symbol ?? ""
    const names = coinNames[coin]
    const short = longNamed[recurrence]?.includes(symbol) ? names?.long : names?.short
    return {
      id: recurrence === "5m" ? (fiveMinuteIds[symbol] as string) : String(12_000 + i * 20 + coin),
      slug: `${short}-${slugEnds[recurrence]}`,
      title: `${names?.title} ${titleEnds[recurrence]}`,
      recurrence,
      coin,
      league: undefined,
    }
  })

const cryptoSeries = coins.map((_, coin) => cryptoSeriesOf(coin))

const leagueSeries: ReadonlyArray<Series> = leagues.map(({ code, name, seriesId }) => ({
  id: seriesId,
  slug: `${code}-games`,
  title: name,
  recurrence: "daily",
  coin: undefined,
  league: code,
}))

export const series: ReadonlyArray<Series> = [...cryptoSeries.flat(), ...leagueSeries]

export const cryptoSeriesFor = (coin: number, recurrence: Recurrence): Series =>
  (cryptoSeries[coin] as ReadonlyArray<Series>)[recurrences.indexOf(recurrence)] as Series

const byLeague = new Map(leagueSeries.map((one) => [one.league, one]))

export const leagueSeriesFor = (code: string): Series => byLeague.get(code) as Series
