import { assert, describe, it } from "vitest"
import { isLoopback } from "#src/platform/http/clientAddress.ts"
import { allSettings } from "#src/roles/settings.ts"

describe("Default addresses", () => {
  it("are this machine's own, except where clients with keys connect", () => {
    const hosts = allSettings.filter(({ name }) => /(^|\.)(listen-)?host$/.test(name))
    const open = hosts.filter((each) => each.default !== "" && !isLoopback(String(each.default)))
    assert.deepStrictEqual(
      open.map(({ name }) => name),
      ["host"],
    )
    assert.includeMembers(
      hosts.map(({ name }) => name),
      ["sim.host", "ops.host", "cluster.host", "cluster.listen-host"],
    )
  })
})
