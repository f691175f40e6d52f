/** Asks a running service. */
export interface Service {
  readonly address: string
  readonly key: string
}

export interface Reply {
  readonly status: number
  readonly body: unknown
}

export const ask = async (
  { address, key }: Service,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> => {
  const answer = await fetch(`${address}${path}`, {
    method,
    headers: {
      ...(key === "" ? {} : { "x-api-key": key }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, body: text.startsWith("{") || text.startsWith("[") ? JSON.parse(text) : text }
}

type Row = Readonly<Record<string, unknown>>

const isRow = (value: unknown): value is Row => typeof value === "object" && value !== null && !Array.isArray(value)

/** The first list of rows in an answer; answers of the venue nest it. */
export const rowsIn = (body: unknown): ReadonlyArray<Row> => {
  if (!isRow(body)) return []
  const lists = Object.values(body).filter(Array.isArray)
  const list = lists.find((each) => each.length > 0)
  return list?.filter(isRow) ?? rowsIn(body["data"])
}

/** What stands for a variable of the examples in the documentation, best first. */
export type Choices = Readonly<Record<string, string>>

const unique = (values: ReadonlyArray<unknown>) =>
  Array.from(new Set(values.filter((each): each is string => typeof each === "string" && each !== "")))

/** Wallets, markets and other names that the service knows. An operation gets the first with rows to show. */
export const choicesIn = async (service: Service): Promise<ReadonlyArray<Choices>> => {
  const rows = async (path: string) => rowsIn((await ask(service, "GET", path)).body)
  const board = await rows("/v3/leaderboard?limit=10")
  const combos = await rows("/v3/combos/activity?limit=10")
  const trades = await rows("/v3/trades?limit=20")
  const splits = await rows("/v2/onchain/trades?limit=5")
  const wallets = unique([
    ...board.map(({ wallet, wallet_address, address }) => wallet ?? wallet_address ?? address),
    ...combos.map(({ wallet_address, wallet }) => wallet_address ?? wallet),
    ...trades.map(({ wallet, maker }) => wallet ?? maker),
    ...splits.map(({ maker }) => maker),
  ])
  const markets = await rows("/v3/markets?limit=10&status=open")
  const rewards = await rows("/v3/rewards/markets")
  const builders = await rows("/v3/builders?limit=3")
  const fees = await rows("/v3/fees?limit=3")
  const leagues = await rows("/v2/sports/summary")
  const league = String(leagues.find(({ active_games }) => Number(active_games) > 0)?.["league"])
  const games = await rows(`/v2/sports/leagues/${league}/games?limit=3`)
  const { as_of: newest } = (await ask(service, "GET", "/v3/trades?limit=1")).body as {
    readonly as_of: { readonly block_number: number }
  }
  const at = (list: ReadonlyArray<Row>, index: number): Row => list[Math.min(index, list.length - 1)] ?? {}
  return wallets.map((wallet, index) => {
    const market = at(markets, index)
    const game = at(games, index)
    return {
      WALLET: wallet,
      TOKEN: String([market["token_ids"]].flat()[0] ?? at(trades, index)["token_id"]),
      CONDITION: String(market["condition_id"] ?? at(rewards, index)["condition_id"]),
      SLUG: String(market["slug"]),
      BUILDER: String(at(builders, index)["builder_code"]),
      RECEIVER: String(at(fees, index)["receiver"]),
      LEAGUE: league,
      GAME: String(game["slug"]),
      EVENT: String(game["id"]),
      MARKET: String([game["markets"]].flat().filter(isRow)[0]?.["id"]),
      BLOCK: String(newest.block_number - 100),
      REWARDED: String(at(rewards, index)["condition_id"]),
    }
  })
}
