import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Simulation } from "#src/simulator/Simulation.ts"
import { ask, everyPage, type Json } from "./asked.ts"
import { dateOf, shownFigures, type TrueFill, trueFigures } from "./trueBuilders.ts"

/** Compares builders, their totals and their days with the venue's books. */
export const compareSums = Effect.fnUntraced(function* (
  key: string,
  { model }: Simulation,
  fills: ReadonlyArray<TrueFill>,
) {
  const routed = fills.filter(({ builder }) => builder !== undefined)
  const of = (code: string) => fills.filter(({ builder }) => builder === code)
  for (const { code, name } of model.builders) {
    const path = `/v3/builders/${code}`
    const detail = yield* ask(key, path)
    assert.deepInclude(detail, { builder: code, builder_code: code, builder_name: name, stats_pending: false })
    assert.deepStrictEqual(shownFigures(detail), trueFigures(of(code)), code)
    const days = Map.groupBy(of(code), dateOf)
    assert.isAbove(days.size, 1)
    const expected = [...days].map(([date, own]) => [date, trueFigures(own)])
    for (const [order, byCursor] of [
      ["desc", true],
      ["asc", false],
    ] as const) {
      const rows = yield* everyPage(key, `${path}/activity/daily?order=${order}`, "activity", byCursor)
      const shown = rows.map((row) => [row.date, shownFigures(row)])
      assert.deepStrictEqual(order === "asc" ? shown : shown.toReversed(), expected, code)
    }
  }

  const list = yield* ask(key, "/v3/builders?sort=volume")
  const volumeOf = (code: string) => trueFigures(of(code)).volume
  const ranked = model.builders.map(({ code }) => code).sort((a, b) => Number(volumeOf(b) - volumeOf(a)))
  assert.deepStrictEqual(
    list.builders.map((row: Json) => [row.rank, row.builder, shownFigures(row)]),
    ranked.map((code, index) => [index + 1, code, trueFigures(of(code))]),
  )
  const columns = { volume: "volume", fees: "total_fees", fills: "fill_count", users: "users", last_fill: "last_fill" }
  for (const [index, [sort, column]] of Object.entries(columns).entries()) {
    const rows = yield* everyPage(
      key,
      `/v3/builders?${index % 2 === 0 ? "sort" : "sort_by"}=${sort}&order=asc`,
      "builders",
      index % 2 === 0,
    )
    assert.lengthOf(new Set(rows.map(({ builder }) => builder)), model.builders.length)
    const values = rows.map((row) => Number(row[column]))
    assert.deepStrictEqual(
      values,
      values.toSorted((a, b) => a - b),
      sort,
    )
  }
  // What builders routed and what nobody did is all that was traded.
  const whole = trueFigures(fills).volume
  const sums = list.builders.reduce((total: bigint, row: Json) => total + BigInt(row.volume_e6), 0n)
  assert.strictEqual(sums + BigInt(list.unattributed_volume_e6), whole)
  assert.deepInclude(list, { total_volume_e6: String(sums), total_users: trueFigures(routed).users })

  const rows = yield* everyPage(key, "/v3/builders/activity/daily?order=asc", "activity", true)
  const byDay = Map.groupBy(fills, dateOf)
  assert.deepStrictEqual(
    rows.map((row) => [
      row.date,
      shownFigures(row),
      row.active_builders,
      BigInt(row.unattributed_volume_e6),
      BigInt(row.total_volume_e6),
    ]),
    [...byDay].flatMap(([date, own]) => {
      const through = own.filter(({ builder }) => builder !== undefined)
      const { volume } = trueFigures(own)
      const active = new Set(through.map(({ builder }) => builder)).size
      const figures = trueFigures(through)
      return active === 0 ? [] : [[date, figures, active, volume - figures.volume, volume]]
    }),
  )
})
