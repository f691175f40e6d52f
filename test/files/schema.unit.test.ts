import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { checkValues, columnsOf, fileKinds, recordsOf } from "#src/files/fileColumns.ts"
import { types } from "#src/files/fileTypes.ts"
import { fileFormats } from "#src/files/model.ts"
import { readTable, TableFile } from "#src/files/tables.ts"

const digits = (length: number) =>
  fc.array(fc.constantFrom(..."0123456789abcdef"), { minLength: length, maxLength: length }).map((all) => all.join(""))
const amount = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER })

const record = fc.record({
  kind: fc.constant("fill" as const),
  block: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
  logIndex: fc.nat(),
  at: fc.integer({ min: 1, max: 2 ** 31 - 1 }).map((seconds) => seconds * 1000),
  tx: digits(64),
  exchange: digits(40),
  orderHash: digits(64),
  maker: digits(40),
  taker: fc.option(digits(40), { nil: undefined }),
  side: fc.constantFrom("buy" as const, "sell" as const),
  token: digits(64),
  shares: amount,
  usd: amount,
  fee: amount,
  feeInShares: fc.boolean(),
  builder: fc.option(digits(64), { nil: undefined }),
})

describe("Files", () => {
  for (const format of fileFormats) {
    it(`give back the facts that were written (${format})`, async () => {
      const directory = mkdtempSync(join(tmpdir(), "presage-table-"))
      try {
        await fc.assert(
          fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 40 }), async (written) => {
            const file = new TableFile("fill", format, directory, "part/")
            await file.add(written)
            const entry = await file.finish()
            assert.strictEqual(entry?.rows, written.length)
            const read: Array<object> = []
            for await (const batch of readTable(`${directory}/${entry?.path}`, format, "fill")) {
              checkValues("fill", batch)
              read.push(...recordsOf("fill", batch))
            }
            assert.deepStrictEqual(read, written)
          }),
          { numRuns: 30 },
        )
      } finally {
        rmSync(directory, { recursive: true })
      }
    })
  }

  it("have only the columns that are documented", () => {
    const text = readFileSync(new URL("../../docs/files.md", import.meta.url), "utf8")
    for (const kind of fileKinds) {
      assert.include(text, `\`${kind}\``)
      for (const { name } of columnsOf(kind)) assert.include(text, `\`${name}\``, kind)
    }
  })

  it("refuse amounts that are no whole numbers of at most 53 bits", () => {
    for (const value of [Number.NaN, 1.5, "1", null, -1n, 2n ** 53n]) assert.throws(() => types.amount.read(value))
    assert.strictEqual(types.signed.read(-5n), -5)
    assert.throws(() => types.signed.read(-(2n ** 53n)))
  })
})
