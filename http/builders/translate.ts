import { Effect } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import type {
  BoardUser,
  Builder,
  BuilderDay,
  Figures,
  NotRanked,
  RankedBuilder,
  RoutedDay,
  SharedName,
  UnknownBuilder,
} from "#src/builders/model.ts"
import type { BuilderPage } from "#src/builders/TotalStore.ts"
import { decimalAmount, exactAmount } from "#src/domain/amounts.ts"
import { NotFound, Unavailable, unavailable } from "../server/errors.ts"
import { SharedBuilderName } from "./shapes.ts"

export const shownIdentity = ({ code, profile }: Builder) => ({
  builder: code,
  builder_code: code,
  builder_name: profile?.name ?? null,
  builder_logo: profile?.logo ?? null,
  builder_verified: profile?.isVerified ?? null,
})

const amounts = <const Name extends string>(name: Name, micros: bigint) => {
  const decimal = decimalAmount(micros)
  return { [`${name}_e6`]: String(micros), [name]: decimal, [`${name}_usdc`]: decimal } as {
    readonly [K in `${Name}_e6` | Name | `${Name}_usdc`]: string
  }
}

const volumeOf = ({ makerBuy, makerSell, takerBuy, takerSell }: Figures) => makerBuy + makerSell + takerBuy + takerSell

const seconds = (at: number | null) => (at === null ? null : String(at))

const shownFigures = (figures: Figures) => {
  const { makerBuy, makerSell, takerBuy, takerSell } = figures
  const [maker, taker] = [decimalAmount(makerBuy + makerSell), decimalAmount(takerBuy + takerSell)]
  const fees = decimalAmount(figures.fees)
  return {
    fill_count: Number(figures.fills),
    users: figures.users,
    ...amounts("volume", volumeOf(figures)),
    ...amounts("buy_volume", makerBuy + takerBuy),
    ...amounts("sell_volume", makerSell + takerSell),
    total_maker_volume: maker,
    total_maker_volume_usdc: maker,
    total_taker_volume: taker,
    total_taker_volume_usdc: taker,
    total_fees: fees,
    total_fees_usdc: fees,
    first_fill: seconds(figures.firstAt),
    last_fill: seconds(figures.lastAt),
  }
}

const shownVenue = ({ profile }: Builder) => ({
  external_rank: profile?.rank ?? null,
  external_volume: profile === undefined ? null : decimalAmount(profile.volume),
  external_active_users: profile?.activeUsers ?? null,
  stats_refreshed_at: profile?.refreshedAt.toISOString() ?? null,
  stats_checked_at: profile?.checkedAt.toISOString() ?? null,
  stats_pending: profile === undefined,
})

const semantics = {
  source: "onchain",
  volume_scope: "routed_orders",
  volume_semantics:
    "Dollars of every fill of an order that carried the builder's code. A trade between two such orders counts for each of them.",
} as const

export const shownBuilder = (builder: RankedBuilder) => ({
  rank: builder.rank,
  ...shownIdentity(builder),
  ...shownFigures(builder),
  ...shownVenue(builder),
  ...semantics,
})

export const shownDetail = (builder: Builder, figures: Figures) => ({
  ...shownIdentity(builder),
  ...shownFigures(figures),
  ...shownVenue(builder),
  stats_source: builder.profile === undefined ? null : "venue",
  ...semantics,
  fee_semantics:
    "Fees that the exchange charged these orders, in dollars and less what it refunded. Builders' own fees are not part of it.",
})

/** The sums over all builders, and over orders without one. */
export const shownTotals = ({ every, none }: Pick<BuilderPage, "every" | "none">) => ({
  total_volume: decimalAmount(volumeOf(every)),
  total_volume_e6: String(volumeOf(every)),
  total_users: every.users,
  unattributed_volume: decimalAmount(volumeOf(none)),
  unattributed_volume_e6: String(volumeOf(none)),
})

const shownDay = (day: number) => ({
  date: new Date(day * 86_400_000).toISOString().slice(0, 10),
  timestamp: String(day * 86_400),
})

export const shownActivity = (day: BuilderDay) => ({ ...shownDay(day.day), ...shownFigures(day) })

export const shownRoutedDay = (day: RoutedDay) => ({
  ...shownDay(day.day),
  active_builders: day.builders,
  ...shownFigures(day),
  ...amounts("unattributed_volume", day.unrouted),
  ...amounts("total_volume", volumeOf(day) + day.unrouted),
})

export const shownUser = (user: BoardUser, rank: number) => {
  const { pnl } = user
  const amount = (value: bigint | undefined) => (value === undefined ? null : exactAmount(value))
  return {
    rank,
    wallet: user.wallet,
    volume: exactAmount(user.usd),
    fees: exactAmount(user.fees),
    fill_count: user.fills,
    first_fill: String(user.firstAt),
    last_fill: String(user.lastAt),
    realized_pnl: amount(pnl?.realized),
    gross_profit: amount(pnl?.profit),
    gross_loss: amount(pnl && pnl.profit - pnl.realized),
    unrealized_pnl: amount(pnl?.unrealized),
    total_pnl: amount(pnl && pnl.realized + pnl.unrealized),
    wins: pnl?.wins ?? null,
    losses: pnl?.losses ?? null,
    position_count: pnl?.positions ?? null,
    open_positions: pnl?.open ?? null,
  }
}

export const storeFailed = unavailable("builders")

const unknown = ({ given, nearest }: UnknownBuilder) =>
  new NotFound({
    error: `There is no builder ${JSON.stringify(given.slice(0, 100))}.`,
    hint: `${nearest === undefined ? "" : `Did you mean "${nearest}"? `}Use a code (0x and 64 hexadecimal digits) or an exact public name; GET /v3/builders lists both.`,
  })

const shared = ({ name, codes }: SharedName) =>
  new SharedBuilderName({
    error: `${codes.length} builders are called ${JSON.stringify(name.slice(0, 100))}.`,
    hint: "Use one of their codes instead.",
    codes,
  })

export const notFound = (
  failure: UnknownBuilder | SharedName | SqlError,
): Effect.Effect<never, NotFound | SharedBuilderName | Unavailable> => {
  if (failure._tag === "UnknownBuilder") return Effect.fail(unknown(failure))
  return failure._tag === "SharedName" ? Effect.fail(shared(failure)) : storeFailed(failure)
}

export const notRanked = (failure: NotRanked | SqlError): Effect.Effect<never, Unavailable> =>
  failure._tag === "SqlError"
    ? storeFailed(failure)
    : Effect.fail(
        new Unavailable({
          error: "leaderboard_unavailable",
          hint: "Users are ranked once the history is complete. GET /v1/status shows the progress.",
        }),
      )
