import { assert, describe, it } from "@effect/vitest"
import type { Hex } from "viem"
import { accountOf } from "#src/resolve/accountOf.ts"
import { isNamed, usersNamed } from "#src/resolve/chooseUser.ts"
import { maxNameLength, queryKey, readQuery } from "#src/resolve/readQuery.ts"
import { walletsOf } from "#src/upstream/chain/wallets.ts"
import { toProfile } from "#src/upstream/gamma/decode.ts"

const key: Hex = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"
const wallets = walletsOf(key)
const at = (i: number) => wallets[i]?.address ?? key

/** The account of the key when these of its wallets are deployed and the venue has this profile. */
const account = (deployed: ReadonlyArray<number>, profile?: Hex) => {
  const known = wallets.map((wallet, i) => ({ ...wallet, isDeployed: deployed.includes(i) }))
  const user = profile === undefined ? undefined : { name: "someone", wallet: profile }
  const { trader, type } = accountOf(key, { key, wallets: known, gaps: [] }, user)
  return [trader, type]
}

describe("The wallet in use", () => {
  it("is a deployed deposit wallet, of the first form if both are deployed", () => {
    assert.deepStrictEqual(account([0, 1, 2, 3], at(2)), [at(0), "deposit_wallet"])
    assert.deepStrictEqual(account([1, 2, 3], at(3)), [at(1), "deposit_wallet"])
  })

  it("is otherwise the one in the profile, or else one that is deployed", () => {
    assert.deepStrictEqual(account([2, 3], at(3)), [at(3), "proxy_wallet"])
    assert.deepStrictEqual(account([2, 3]), [at(2), "safe"])
    assert.deepStrictEqual(account([3]), [at(3), "proxy_wallet"])
    assert.deepStrictEqual(account([], at(1)), [at(1), "deposit_wallet"])
  })

  it("is the key itself if there is none", () => {
    assert.deepStrictEqual(account([]), [key, "eoa"])
    assert.deepStrictEqual(account([], key), [key, "eoa"])
  })
})

describe("A query", () => {
  it("is an address in any case, also as the venue shows users without a name", () => {
    for (const text of [key, key.toUpperCase().replace("0X", "0x"), `${key}-1794700800000`]) {
      assert.deepStrictEqual(readQuery(text), { address: key })
    }
  })

  it("is otherwise a name, which may begin with @ or look like the start of an address", () => {
    for (const name of ["someone", "0xabc", "0xTrader", "a.b-c_d", "Ünïcödé", "7", "n".repeat(maxNameLength)]) {
      assert.deepStrictEqual(readQuery(name), { name })
      assert.deepStrictEqual(readQuery(`@${name}`), { name })
    }
  })

  it("is refused when it is neither", () => {
    const bad = [
      key.slice(0, -1),
      `${key}0`,
      key.slice(2),
      "",
      "@",
      "@@",
      "a\tb",
      "\u202eabc",
      "n".repeat(maxNameLength + 1),
    ]
    for (const text of bad) assert.isString(readQuery(text), JSON.stringify(text))
  })

  it("is cached under one key for all spellings of an address, and for each spelling of a name", () => {
    const keyOf = (text: string) => {
      const query = readQuery(text)
      return typeof query === "string" ? assert.fail(query) : queryKey(query)
    }
    assert.strictEqual(keyOf(key.replace("f39f", "F39F")), keyOf(key))
    assert.strictEqual(keyOf("@bob"), keyOf("bob"))
    assert.notStrictEqual(keyOf("Bob"), keyOf("bob"))
  })
})

const profileOf = (name: string | null, i = 0, displayUsernamePublic = true) =>
  toProfile({ proxyWallet: at(i), name, displayUsernamePublic })

describe("Users with a name", () => {
  const walletsNamed = (name: string, names: ReadonlyArray<string>) =>
    usersNamed(name, names.map((each, i) => profileOf(each, i)).filter(isNamed)).map(({ wallet }) => `0x${wallet}`)

  it("are those who spell it exactly so, or else those who spell it differently", () => {
    assert.deepStrictEqual(walletsNamed("bob", ["BOB", "bob", "bobby"]), [at(1)])
    assert.deepStrictEqual(walletsNamed("Bob", ["BOB", "bob", "bobby"]), [at(0), at(1)])
    assert.deepStrictEqual(walletsNamed("bo", ["BOB", "bob"]), [])
  })

  it("are counted once by wallet", () => {
    const twice = [profileOf("bob"), profileOf("bob")].filter(isNamed)
    assert.lengthOf(usersNamed("bob", twice), 1)
  })

  it("are not those who hide it, or whom the venue named after their address", () => {
    assert.isFalse(isNamed(profileOf("bob", 0, false)))
    assert.isFalse(isNamed(profileOf(`${key}-1794700800000`)))
    assert.isFalse(isNamed(profileOf(null)))
  })
})
