import { usd } from "../gamma/GammaView.ts"
import { hash } from "../random.ts"
import type { Builder } from "../world/model.ts"
import { periodNames } from "./Boards.ts"
import type { BuilderSum } from "./BuilderDays.ts"
import type { Params } from "./Params.ts"
import { type OffsetLimits, offsetPageIn, pinnedPage, pinnedQuery, type V2Response } from "./pagination.ts"
import type { Sources } from "./sources.ts"

const limits: OffsetLimits = { defaultLimit: 25, maxLimit: 50, maxOffset: 1_000, rows: "builders" }

const periodIn = (params: Params) => params.choice("time_period", periodNames) ?? "DAY"

const builderOf = ({ ledger }: Sources, { builder }: BuilderSum) => ledger.sim.model.builders[builder] as Builder

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
    .ranking(periodIn(params))
    .map((sum, index) => row(sources, sum, index + 1))
    .slice(offset, offset + limit)
}

export const builderVolume = (sources: Sources, params: Params): ReadonlyArray<object> =>
  sources.builderDays
    .series(periodIn(params))
    .flatMap(({ date, sums }) =>
      sums.map((sum, index) => ({ dt: `${date}T00:00:00Z`, ...row(sources, sum, index + 1) })),
    )

const rowV2 = (sources: Sources, sum: BuilderSum, rank: number) => ({
  rank,
  builder_name: builderOf(sources, sum).name,
  builder_code: builderOf(sources, sum).code,
  profile_image: "",
  verified: isVerified(sum),
  volume: usd(sum.shares),
  active_users: sum.users.size,
})

export const builderBoardV2 = (sources: Sources, sent: Params): V2Response => {
  const query = pinnedQuery(sent)
  const sums = [...sources.builderDays.ranking(periodIn(query.params))].sort(
    (a, b) => b.shares - a.shares || a.builder - b.builder,
  )
  return pinnedPage(
    query,
    sums,
    ({ shares, builder }) => ({ value: shares, id: builder }),
    (sum) => rowV2(sources, sum, sums.indexOf(sum) + 1),
  )
}

export const builderVolumeV2 = (sources: Sources, params: Params): V2Response => ({
  data: sources.builderDays
    .series(periodIn(params))
    .flatMap(({ date, sums }) =>
      [...sums]
        .sort((a, b) => b.shares - a.shares || a.builder - b.builder)
        .map((sum, index) => ({ date, ...rowV2(sources, sum, index + 1) })),
    ),
})
