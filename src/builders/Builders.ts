import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import type { AsOf } from "#src/ledger/asOf.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { type BoardQuery, readBoard } from "./BoardStore.ts"
import { type DayQuery, readDays, readRoutedDays } from "./DayStore.ts"
import {
  type BoardPage,
  type Builder,
  type BuilderDay,
  type Figures,
  type Listed,
  type NotRanked,
  type RoutedDay,
  type SharedName,
  type UnknownBuilder,
  unknownBuilder,
} from "./model.ts"
import { findBuilder } from "./ProfileStore.ts"
import { type BuilderPage, type BuilderQuery, readList, readTotals } from "./TotalStore.ts"

/** Builders, what was traded through them and by whom. */
export class Builders extends Context.Service<
  Builders,
  {
    /** By code or public name. */
    readonly find: (given: string) => Effect.Effect<Builder, UnknownBuilder | SharedName | SqlError>
    readonly list: (query: BuilderQuery) => Effect.Effect<BuilderPage, SqlError>
    readonly totals: (
      builder: Builder,
    ) => Effect.Effect<{ readonly figures: Figures; readonly asOf: AsOf | undefined }, SqlError>
    readonly days: (builder: Builder, query: DayQuery) => Effect.Effect<Listed<BuilderDay>, SqlError>
    /** Of all builders together. */
    readonly routedDays: (query: DayQuery) => Effect.Effect<Listed<RoutedDay>, SqlError>
    readonly board: (builder: Builder, query: BoardQuery) => Effect.Effect<BoardPage, NotRanked | SqlError>
    /** How many fills the days of a range have at most; newest ones may be missing. */
    readonly fillsWithin: (
      builder: Builder,
      after: number | undefined,
      before: number | undefined,
    ) => Effect.Effect<bigint, SqlError>
  }
>()("presage/builders/Builders") {
  static readonly layer = Layer.effect(
    Builders,
    Effect.map(Postgres, ({ sql, reads }) =>
      Builders.of({
        find: Effect.fn("Builders.find")((given) => findBuilder(reads, given)),
        list: Effect.fn("Builders.list")((query) => readList(sql, query)),
        totals: Effect.fn("Builders.totals")(({ id }) => readTotals(sql, id)),
        days: Effect.fn("Builders.days")(({ id }, query) => readDays(sql, id, query)),
        routedDays: Effect.fn("Builders.routedDays")((query) => readRoutedDays(sql, query)),
        board: Effect.fn("Builders.board")(({ id }, query) => readBoard(sql, id, query)),
        fillsWithin: Effect.fn("Builders.fillsWithin")(({ id }, after = 0, before = 2_147_483_647) =>
          Effect.map(
            reads<{ fills: bigint }>`
              select coalesce(sum(fills), 0)::int8 as fills from builder_day
              where builder = ${id ?? unknownBuilder} and day between ${Math.floor(after / 86_400)} and ${Math.floor(before / 86_400)}`,
            ([row]) => row?.fills ?? 0n,
          ),
        ),
      }),
    ),
  )
}
