import { ask, rowsIn, type Service } from "../examples/world.ts"
import type { Names } from "./pages.ts"

const textOf = (row: Readonly<Record<string, unknown>> | undefined, name: string): string => {
  const value = row?.[name]
  return typeof value === "string" ? value : ""
}

/** The league with most to show, and one of its games. */
const gameIn = async (rows: (path: string) => Promise<ReturnType<typeof rowsIn>>): Promise<string> => {
  const leagues = await rows("/v2/sports/summary")
  const gamesOf = (league: (typeof leagues)[number]) =>
    2 * Number(league["live_games"]) + Number(league["upcoming_games"])
  const [league] = [...leagues].sort((a, b) => gamesOf(b) - gamesOf(a))
  return textOf((await rows(`/v2/sports/leagues/${textOf(league, "league")}/games?limit=1`))[0], "slug")
}

/** What there is to look at: a busy market, a successful wallet, a game. Empty where there is none yet. */
export const namesIn = async (service: Service): Promise<Omit<Names, "webhook">> => {
  const rows = async (path: string) => rowsIn((await ask(service, "GET", path)).body)
  const [market] = await rows("/v3/markets?status=open&sort=volume_24h&limit=1")
  const wallet = textOf((await rows("/v3/leaderboard?limit=1"))[0], "wallet")
  const [position] = wallet === "" ? [] : await rows(`/v2/wallets/${wallet}/positions/onchain?status=all&limit=1`)
  return { market: textOf(market, "slug"), wallet, token: textOf(position, "token_id"), game: await gameIn(rows) }
}

/** The name of the first thing that is missing, if any. */
export const missingIn = (names: Omit<Names, "webhook">): string | undefined =>
  Object.entries(names).find(([, value]) => value === "")?.[0]
