import { usd } from "../gamma/View.ts"
import { hash } from "../random.ts"
import type { Builder } from "../world/model.ts"
import { periodNames } from "./Boards.ts"
import type { BuilderSum } from "./BuilderDays.ts"
import type { Params } from "./Params.ts"
import { type Answer, type OffsetLimits, offsetPageIn } from "./page.ts"
import { pinnedPage, pinnedQuery } from "./pinned.ts"
import type { Sources } from "./sources.ts"

const limits: OffsetLimits = { usual: 25, most: 50, furthest: 1_000, rows: "builders" }

const periodIn = (params: Params) => params.choice("time_period", periodNames) ?? "DAY"

const builderOf = ({ ledger }: Sources, { builder }: BuilderSum) => ledger.sim.made.builders[builder] as Builder

const isVerified = ({ builder }: BuilderSum) => hash(builder, 19) % 2 === 0

const row = (sources: Sources, sum: BuilderSum, rank: number) => ({
  rank: String(rank),
  builder: builderOf(sources, sum).name,
  volume: usd(sum.usd),
  activeUsers: sum.users.size,
  verified: isVerified(sum),
  builderLogo: "",
})

export const builderBoard = (sources: Sources, params: Params): ReadonlyArray<object> => {
  const { offset, limit } = offsetPageIn(params, limits)
  return sources.builderDays
    .standings(periodIn(params))
    .map((sum, place) => row(sources, sum, place + 1))
    .slice(offset, offset + limit)
}

export const builderVolume = (sources: Sources, params: Params): ReadonlyArray<object> =>
  sources.builderDays
    .series(periodIn(params))
    .flatMap(({ date, sums }) =>
      sums.map((sum, place) => ({ dt: `${date}T00:00:00Z`, ...row(sources, sum, place + 1) })),
    )

const row2 = (sources: Sources, sum: BuilderSum, rank: number) => ({
  rank,
  builder_name: builderOf(sources, sum).name,
  builder_code: builderOf(sources, sum).code,
  profile_image: "",
  verified: isVerified(sum),
  volume: usd(sum.shares),
  active_users: sum.users.size,
})

export const builderBoard2 = (sources: Sources, sent: Params): Answer => {
  const query = pinnedQuery(sent)
  const sums = [...sources.builderDays.standings(periodIn(query.params))].sort(
    (a, b) => b.shares - a.shares || a.builder - b.builder,
  )
  return pinnedPage(
    query,
    sums,
    ({ shares, builder }) => ({ value: shares, id: builder }),
    (sum) => row2(sources, sum, sums.indexOf(sum) + 1),
  )
}

export const builderVolume2 = (sources: Sources, params: Params): Answer => ({
  data: sources.builderDays
    .series(periodIn(params))
    .flatMap(({ date, sums }) =>
      [...sums]
        .sort((a, b) => b.shares - a.shares || a.builder - b.builder)
        .map((sum, place) => ({ date, ...row2(sources, sum, place + 1) })),
    ),
})
