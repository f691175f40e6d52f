import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import * as Setting from "#src/platform/config/Setting.ts"
import { httpTrustedProxies } from "#src/platform/config/settings.ts"
import { clientAddress, isLoopback, trustedProxies } from "#src/platform/http/clientAddress.ts"

const trusted = trustedProxies(["10.0.0.0/8", "192.0.2.7", "fd00::/8", "2001:db8:ffff::1"])
const noProxies = trustedProxies([])

/** An address as numbers: four for IPv4, eight for IPv6. */
type Numbers = ReadonlyArray<number>

const octet = fc.integer({ min: 0, max: 255 })
const group = fc.integer({ min: 0, max: 0xffff })

// None is trusted, loopback or IPv4-mapped.
const client: fc.Arbitrary<Numbers> = fc.oneof(
  fc.tuple(fc.integer({ min: 11, max: 126 }), octet, octet, octet),
  fc.tuple(fc.constantFrom(0x2a00, 0x2600), ...Array.from({ length: 7 }, () => fc.oneof(group, fc.constant(0)))),
)
const proxy: fc.Arbitrary<Numbers> = fc.oneof(
  fc.tuple(fc.constant(10), octet, octet, octet),
  fc.constant([192, 0, 2, 7]),
  fc.tuple(fc.integer({ min: 0xfd00, max: 0xfdff }), ...Array.from({ length: 7 }, () => group)),
  fc.constant([0x2001, 0xdb8, 0xffff, 0, 0, 0, 0, 1]),
)

/** The address that limits count. */
const counted = (numbers: Numbers) =>
  numbers.length === 4
    ? numbers.join(".")
    : `${numbers
        .slice(0, 4)
        .map((n) => n.toString(16))
        .join(":")}::/64`

const hex = (numbers: Numbers, digits: number) => numbers.map((n) => n.toString(16).padStart(digits, "0"))

/** Without the first run of zeros, if any. */
const shortened = (groups: ReadonlyArray<string>) => groups.join(":").replace(/(^|:)0{1,4}(:0{1,4})+(:|$)/, "::")

/** The same address in the notations of various proxies. */
const spelled = (numbers: Numbers): fc.Arbitrary<string> => {
  const four = numbers.join(".")
  const pairs = hex(numbers, 2).join("").match(/.{4}/g) ?? []
  const bare =
    numbers.length === 4
      ? fc.constantFrom(`::ffff:${four}`, `::FFFF:${pairs.join(":")}`, `0:0:0:0:0:ffff:${four}`)
      : fc.constantFrom(hex(numbers, 1).join(":"), hex(numbers, 4).join(":"), shortened(hex(numbers, 1)))
  const six = fc
    .tuple(bare, fc.boolean(), fc.constantFrom("", "%eth0", "%1"))
    .map(([text, upper, zone]) => `${upper ? text.toUpperCase() : text}${zone}`)
  const bracketed = six.chain((text) => fc.constantFrom(text, `[${text}]`, `[${text}]:443`))
  return numbers.length === 4 ? fc.oneof(fc.constantFrom(four, `${four}:65535`), bracketed) : bracketed
}

const space = fc.constantFrom("", " ", "  ", "\t")
const hop = (numbers: fc.Arbitrary<Numbers>) =>
  fc.tuple(space, numbers.chain(spelled), space).map((parts) => parts.join(""))

/** The notation of a socket: no port, no brackets. */
const peerOf = (numbers: Numbers) => (numbers.length === 4 ? `::ffff:${numbers.join(".")}` : hex(numbers, 1).join(":"))

describe("clientAddress", () => {
  it("is the peer of the socket regardless of the header, unless the peer is a trusted proxy", () => {
    fc.assert(
      fc.property(client, fc.oneof(fc.string(), hop(client), hop(proxy)), (peer, header) => {
        assert.strictEqual(clientAddress(peerOf(peer), header, trusted), counted(peer))
      }),
    )
  })

  it("is the right-most untrusted hop, regardless of the hops before it", () => {
    const forged = fc.array(fc.oneof(fc.string(), hop(client), hop(proxy)), { maxLength: 5 })
    const spelledClient = client.chain((numbers) => fc.tuple(fc.constant(numbers), hop(fc.constant(numbers))))
    fc.assert(
      fc.property(proxy, forged, spelledClient, fc.array(hop(proxy), { maxLength: 4 }), (peer, before, who, after) => {
        const [numbers, text] = who
        const chain = [...before, text, ...after]
        assert.strictEqual(clientAddress(peerOf(peer), chain.join(","), trusted), counted(numbers))
        assert.strictEqual(clientAddress(peerOf(peer), chain, trusted), counted(numbers))
      }),
      { numRuns: 500 },
    )
  })

  it("is the last valid hop when the hop before it is not an address", () => {
    const rubbish = fc.oneof(
      fc.constantFrom(
        "",
        "unknown",
        "_hidden",
        "1.2.3",
        "01.2.3.4",
        "1.2.3.4.5",
        "1.2.3.4:x",
        "[1.2.3.4]",
        "[::1",
        "::1]",
      ),
      fc.constantFrom(
        "for=1.2.3.4",
        '"1.2.3.4"',
        "1.2.3.4/8",
        "1.2.3.4 5.6.7.8",
        "g::1",
        "[::1]x",
        `${"1".repeat(200)}::`,
      ),
    )
    fc.assert(
      fc.property(proxy, proxy, rubbish, (peer, good, bad) => {
        const chain = `20.0.0.1,${bad},${peerOf(good)}`
        assert.strictEqual(clientAddress(peerOf(peer), chain, trusted), counted(good))
        assert.strictEqual(clientAddress(peerOf(peer), bad, trusted), counted(peer))
      }),
    )
  })

  it("is the first hop when every hop is trusted", () => {
    assert.strictEqual(clientAddress("10.0.0.1", "10.0.0.3, 10.0.0.2", trusted), "10.0.0.3")
    assert.strictEqual(clientAddress("10.0.0.1", undefined, trusted), "10.0.0.1")
    assert.strictEqual(clientAddress("10.0.0.1", "", trusted), "10.0.0.1")
  })

  it("does not change with a header of 10 KB", () => {
    const forged = "20.0.0.1,".repeat(1200)
    assert.strictEqual(clientAddress("10.0.0.1", `${forged}30.0.0.1`, trusted), "30.0.0.1")
    assert.strictEqual(clientAddress("10.0.0.1", `20.0.0.1,${"9".repeat(10_000)}`, trusted), "10.0.0.1")
    assert.strictEqual(clientAddress("10.0.0.1", ",".repeat(10_000), trusted), "10.0.0.1")
    assert.strictEqual(clientAddress("10.0.0.1", `20.0.0.1${",10.0.0.2".repeat(1200)}`, trusted), "20.0.0.1")
  })

  it("is the same for all addresses of a /64, and different for the next /64", () => {
    const of = (address: string) => clientAddress(address, undefined, noProxies)
    assert.strictEqual(of("2001:db8:1:2::1"), "2001:db8:1:2::/64")
    assert.strictEqual(of("2001:db8:1:2:ffff:ffff:ffff:ffff"), "2001:db8:1:2::/64")
    assert.strictEqual(of("2001:db8:1:3::1"), "2001:db8:1:3::/64")
    assert.strictEqual(of("2001:db8::1"), "2001:db8:0:0::/64")
    assert.strictEqual(of("fe80::1%eth0"), "fe80:0:0:0::/64")
    assert.strictEqual(of("64:ff9b::192.0.2.1"), "64:ff9b:0:0::/64")
    assert.strictEqual(of("::"), "0:0:0:0::/64")
  })

  it("is unknown when the socket has no address, whatever the header says", () => {
    for (const peer of [undefined, "", "/run/presage.sock"])
      assert.strictEqual(clientAddress(peer, "20.0.0.1", trusted), "unknown")
  })

  it("isLoopback recognises this machine", () => {
    for (const address of ["127.0.0.1", "127.8.9.1", "::1", "::ffff:127.0.0.1", "0:0:0:0:0:0:0:1"])
      assert.isTrue(isLoopback(address), address)
    for (const address of ["128.0.0.1", "::2", "10.0.0.1", "", undefined, "localhost", "0:0:0:0::/64", "unknown"])
      assert.isFalse(isLoopback(address), address)
    assert.isTrue(isLoopback(clientAddress("::1", undefined, noProxies)))
    assert.isFalse(isLoopback(clientAddress("::1", "20.0.0.1", trustedProxies(["::1"]))))
  })
})

describe("trusted proxies", () => {
  it("may be IPv4-mapped IPv6 addresses", () => {
    for (const network of ["::ffff:10.0.0.1", "::ffff:10.0.0.0/104", "::ffff:0:0/96", "::ffff:0.0.0.0/95", "0.0.0.0/0"])
      assert.strictEqual(clientAddress("10.0.0.1", "2a00::1", trustedProxies([network])), "2a00:0:0:0::/64", network)
    assert.strictEqual(clientAddress("11.0.0.1", "2a00::1", trustedProxies(["::ffff:10.0.0.0/104"])), "11.0.0.1")
  })

  const read = (text: string) => Setting.read(httpTrustedProxies, text)

  it("are a list of addresses and networks, empty by default", () => {
    assert.deepStrictEqual(httpTrustedProxies.default, [])
    assert.deepStrictEqual(read(""), Result.succeed([]))
    const list = ["10.0.0.0/8", "192.0.2.7", "::1", "2001:DB8::/32"]
    assert.deepStrictEqual(read(list.join(" , ")), Result.succeed(list))
    assert.strictEqual(Setting.show(httpTrustedProxies, list), list.join(","))
  })

  it.each([
    "*",
    "10.0.0.0/33",
    "::/129",
    "10.0.0.0/",
    "10.0.0.0/8/8",
    "10.0.0.0/-1",
    "proxy.local",
    "fe80::1%eth0",
    "10.0.0.1,",
  ])("are refused with an explanation when one is %s", (text) => {
    const problem = `${JSON.stringify(text)} is not IP addresses and networks separated by commas, for example 10.0.0.0/8,192.0.2.7,fd00::/8`
    assert.deepStrictEqual(read(text), Result.fail(problem))
  })
})
