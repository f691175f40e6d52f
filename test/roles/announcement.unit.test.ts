import { assert, describe, it } from "@effect/vitest"
import { announcement } from "#src/roles/serve.ts"

const [api, ws, sim] = [
  ["api", "http://localhost:8080"],
  ["ws", "ws://localhost:8081/ws"],
  ["sim", "http://localhost:8090"],
] as const

describe("The line at startup", () => {
  it("lists the addresses in a fixed order, and says whether the process is ready", () => {
    const text = "api http://localhost:8080  ws ws://localhost:8081/ws  sim http://localhost:8090"
    assert.deepStrictEqual(announcement(true, [sim, ws, api], "127.0.0.1"), [`presage ready  ${text}`])
    assert.deepStrictEqual(announcement(false, [api, sim, ws], "::1"), [`presage answers, not ready  ${text}`])
  })

  it("is followed by which of them other machines reach, and by the setting that says so", () => {
    const notice = (addresses: ReadonlyArray<typeof api | typeof ws | typeof sim>, host: string) =>
      announcement(true, addresses, host).slice(1)
    assert.deepStrictEqual(notice([api, ws, sim], "0.0.0.0"), [
      "other machines reach api and ws as well (HOST=0.0.0.0)",
    ])
    assert.deepStrictEqual(notice([ws], "192.168.1.4"), ["other machines reach ws as well (HOST=192.168.1.4)"])
    assert.deepStrictEqual(notice([sim], "0.0.0.0"), [])
    assert.deepStrictEqual(notice([api, ws], "localhost"), [])
  })
})
