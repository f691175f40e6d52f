import { assert, describe, it } from "@effect/vitest"
import { KeptBytes } from "#ws/channel/KeptBytes.ts"

const limits = { connection: 100, account: 150, process: 200 }

describe("KeptBytes", () => {
  it("names the limit that is exceeded first", () => {
    const all = new KeptBytes(() => limits)
    const [first, second, other] = [all.open("a"), all.open("a"), all.open("b")]
    first.keep("filters", 90)
    assert.strictEqual(first.exceeded("filters", 101), "connection")
    assert.strictEqual(second.exceeded("filters", 61), "account")
    second.keep("filters", 60)
    assert.strictEqual(other.exceeded("filters", 51), "process")
    assert.isUndefined(first.exceeded("filters", 90))
  })

  it("counts nothing of a connection that was closed while its subscription was prepared", () => {
    const all = new KeptBytes(() => limits)
    const connection = all.open("a")
    connection.keep("waiting", 10)
    connection.close()
    connection.keep("filters", 50)
    connection.keep("waiting", 0)
    assert.deepStrictEqual([all.total, all.of("a"), connection.total], [0, 0, 0])
  })
})
