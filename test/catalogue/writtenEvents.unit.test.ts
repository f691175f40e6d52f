import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { WrittenEvents } from "#src/catalogue/WrittenEvents.ts"
import { readFreshEvents } from "#src/upstream/gamma/freshEvents.ts"
import { fingerprintOf } from "#src/upstream/gamma/locateRows.ts"
import { RowText } from "#src/upstream/gamma/pageReader.ts"

const minute = 60_000
const now = Date.UTC(2026, 10, 18, 20)

const row = (id: number, more: object = {}) => ({ id: String(id), slug: `event-${id}`, title: "Title", ...more })
const market = (id: number, more: object = {}) => ({ id: String(id), slug: `m-${id}`, question: "?", ...more })
const game = (id: number, startsAt: number) =>
  row(id, { gameId: 1_000 + id, startTime: new Date(startsAt).toISOString(), markets: [market(id)] })

const rowText = (text: string) => {
  const bytes = Buffer.from(text)
  return new RowText(bytes, { start: 0, end: bytes.length, fingerprint: fingerprintOf(bytes) })
}

const read = (rows: ReadonlyArray<unknown>, written: WrittenEvents, at = now) =>
  Effect.runSync(
    readFreshEvents(
      rows.map((each) => rowText(JSON.stringify(each))),
      written.unchangedAt(at),
    ),
  )

const remembered = (rows: ReadonlyArray<unknown>) => {
  const written = new WrittenEvents()
  const { good, listed } = read(rows, written)
  written.remember({ items: good, listed }, now)
  return written
}

const ids = (events: ReadonlyArray<{ readonly id: number }>) => events.map(({ id }) => id)

describe("events that were written before", () => {
  it("are not decoded again while their text is the same", () => {
    const rows = [row(1, { markets: [market(1)] }), row(2), row(3, { markets: [market(3, { bestBid: 0.4 })] })]
    const written = remembered(rows)
    const changed = [rows[0], row(2, { title: "Another" }), row(3, { markets: [market(3, { bestBid: 0.5 })] }), row(4)]
    const { good, known } = read(changed, written)
    assert.deepStrictEqual([ids(good), known], [[2, 3, 4], [1]])
  })

  it("are decoded again when they were forgotten, after some time, and when they are closed", () => {
    const rows = [row(1), row(2), row(3, { closed: true })]
    const written = remembered(rows)
    assert.deepStrictEqual(read(rows, written).known, [1, 2])
    written.forget([1])
    assert.deepStrictEqual(read(rows, written).known, [2])
    assert.deepStrictEqual(read(rows, written, now + 9 * minute).known, [2])
    assert.deepStrictEqual(read(rows, written, now + 20 * minute).known, [])
  })

  it("are decoded again if a part of them was undecodable, but not the rest of their page", () => {
    const rows = [row(1, { markets: [market(1), { id: {} }] }), row(2), { id: "3", title: 5 }, row(4, { tags: [7] })]
    const written = remembered(rows)
    assert.deepStrictEqual(read(rows, written).known, [2])
  })

  it("are not even parsed, and a row that is no JSON is an undecodable one", () => {
    const written = remembered([row(1), row(2)])
    const texts = [row(1), row(2)].map((each) => rowText(JSON.stringify(each)))
    const broken = rowText('{"id":"3",')
    const { known, bad } = Effect.runSync(readFreshEvents([...texts, broken], written.unchangedAt(now)))
    assert.deepStrictEqual(known, [1, 2])
    assert.deepStrictEqual(
      bad.map(({ item }) => item),
      [broken.text],
    )
  })

  it("count as decodable rows, with those nested in them", () => {
    const rows = [row(1, { markets: [market(1), market(2)] }), row(2)]
    const { bad, decoded } = read([...rows, { id: "3", title: 5 }], remembered(rows))
    assert.strictEqual(bad.length, 1)
    assert.deepInclude(decoded, { event: 2, market: 2 })
  })

  it("show their games while the live source may have changed them", () => {
    const written = remembered([game(1, now - minute), game(2, now + 30 * minute), game(3, now + 90 * minute), row(4)])
    assert.deepStrictEqual(ids(written.gamesOf([1, 2, 3, 4], now)), [1, 2])
    assert.deepStrictEqual(ids(written.gamesOf([1, 2, 3, 4], now + 40 * minute)), [1, 2, 3])
    for (const event of written.gamesOf([1], now)) {
      assert.deepStrictEqual(event.markets, [])
      assert.isNotNull(event.game)
    }
  })
})
