import { ask, type Choices, type Service } from "./world.ts"

/** An operation as the contract describes it. */
export interface Operation {
  readonly operationId: string
  readonly path: string
  readonly method: string
  readonly description?: string
  readonly parameters?: ReadonlyArray<{
    readonly name: string
    readonly in: string
    readonly schema: { readonly type?: string; readonly maximum?: number }
  }>
}

/** All operations of a running service. */
export const operationsOf = async (service: Service): Promise<ReadonlyArray<Operation>> => {
  const document = (await ask(service, "GET", "/openapi.json")).body as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Omit<Operation, "path" | "method">>>>>
  }
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, path, method: method.toUpperCase() })),
  )
}

/** Where the documentation shows no request, or one that needs a shell. */
const requests: Readonly<Record<string, string>> = {
  "ticks.list": "/v1/crypto/ticks?symbol=BTC&from=$NOW_FROM&to=$NOW_TO&source=oracle_data_streams",
  "crypto.price": "/v1/crypto/price?symbol=BTC&interval=5m&window=$WINDOW",
  "sports.games": "/v2/sports/leagues/$LEAGUE/games?limit=2",
  "social.search": "/v2/social/search?q=url:polymarket.com+-filter:retweets+-filter:media&max=2",
  "social.timeline": "/v2/social/user/ChainPressIO/tweets?max=2",
  "online-search.search": "/v2/search/online?q=nba+injuries&max_results=2&time_range=week",
  "rewards.market": "/v3/rewards/markets/$REWARDED",
  "events.list": "/v1/events?after=0&event_types=fill&limit=2",
  "copyPnl.one": "/v2/copy-pnl/$WALLET?period=30d",
  "usage.month": "/v1/usage",
}

/** The request that the documentation shows for an operation, with variables for names and times, for at most `limit` rows. */
const templateOf = ({ operationId, description = "", path, parameters = [] }: Operation, limit: number | "most") => {
  const shown = requests[operationId] ?? /"\$URL(\/[^"]*)"/.exec(description)?.[1] ?? path
  const limited = parameters.find(({ name }) => name === "limit")
  const rows = limit === "most" ? limited?.schema.maximum : limit
  if (limited === undefined || rows === undefined) return shown
  const [route = "", query = ""] = shown.split("?")
  const asked = new URLSearchParams(query.replaceAll("$", "%24"))
  asked.set("limit", String(rows))
  return `${route}?${decodeURIComponent(asked.toString())}`
}

/** Times of the recorded world. */
const timesOf = (second: number): Choices => ({
  NOW_FROM: String((second - 63) * 1000),
  NOW_TO: String((second - 60) * 1000),
  WINDOW: String(Math.floor(second / 300) * 300 - 300),
})

const filled = (template: string, choices: Choices) =>
  template.replaceAll(
    /\$([A-Z_]+)/g,
    (whole, name: string) => ({ ...choices, ...timesOf(Number(choices["SECOND"])) })[name] ?? whole,
  )

/** The requests of an operation, one for each of the choices that it can tell apart. */
export const requestsOf = (operation: Operation, all: ReadonlyArray<Choices>, limit: number | "most") => {
  const template = templateOf(operation, limit)
  return Array.from(new Set(all.map((choices) => filled(template, choices))))
}
