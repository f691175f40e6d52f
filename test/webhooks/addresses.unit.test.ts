import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { reachOf } from "#src/webhooks/delivery/addresses.ts"

const loopback = ["127.0.0.1", "127.255.255.254", "::1", "::ffff:127.0.0.1", "::ffff:7f00:1", "0:0:0:0:0:0:0:1"]

const inside = [
  "0.0.0.0",
  "0.1.2.3",
  "10.0.0.1",
  "10.255.255.255",
  "100.64.0.1",
  "100.127.255.255",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.1",
  "192.0.2.1",
  "192.88.99.1",
  "192.168.1.1",
  "198.18.0.1",
  "198.19.255.255",
  "198.51.100.1",
  "203.0.113.1",
  "224.0.0.1",
  "239.255.255.255",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::2",
  "::127.0.0.1",
  "::ffff:10.0.0.1",
  "::ffff:a9fe:a9fe",
  "::ffff:0:127.0.0.1",
  "64:ff9b::7f00:1",
  "64:ff9b:1::1",
  "100::1",
  "2001::1",
  "2001:2::1",
  "2001:10::1",
  "2001:20::1",
  "2001:db8::1",
  "2002:7f00:1::",
  "3fff::1",
  "4000::1",
  "5f00::1",
  "fc00::1",
  "fd12:3456::1",
  "fe80::1",
  "fe80::1%eth0",
  "fec0::1",
  "ff02::1",
  "",
  "localhost",
  "127.1",
  "2130706433",
  "1.2.3.4.5",
]

const open = [
  "1.1.1.1",
  "8.8.8.8",
  "9.255.255.255",
  "11.0.0.0",
  "100.63.255.255",
  "100.128.0.0",
  "126.255.255.255",
  "128.0.0.1",
  "169.253.255.255",
  "172.15.255.255",
  "172.32.0.0",
  "192.0.1.1",
  "192.167.255.255",
  "198.17.255.255",
  "198.20.0.0",
  "223.255.255.255",
  "::ffff:8.8.8.8",
  "2001:200::1",
  "2606:4700:4700::1111",
  "2a00:1450:4001::200e",
]

describe("reachOf", () => {
  it("distinguishes loopback, internal and public addresses", () => {
    for (const address of loopback) assert.strictEqual(reachOf(address), "loopback", address)
    for (const address of inside) assert.strictEqual(reachOf(address), "inside", address)
    for (const address of open) assert.strictEqual(reachOf(address), "public", address)
  })

  it("classifies an IPv4 address like its IPv6 forms", () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number)
        const hex = `::ffff:${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
        assert.strictEqual(reachOf(hex), reachOf(address))
        assert.strictEqual(reachOf(`::ffff:${address}`), reachOf(address))
      }),
    )
  })

  it("treats invalid addresses as internal", () => {
    fc.assert(
      fc.property(fc.string(), (text) => text.includes(":") || text.includes(".") || reachOf(text) === "inside"),
    )
  })
})
