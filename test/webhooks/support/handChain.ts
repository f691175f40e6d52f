import { Effect, Option } from "effect"
import { shares, usdc } from "#src/domain/amounts.ts"
import type { ChainPosition, Fact, Fill, PairChange, TokenPair } from "#src/domain/Fact.ts"
import { Ledger } from "#src/ledger/Ledger.ts"
import { Leases } from "#src/mesh/Lease.ts"
import { address } from "#src/upstream/chain/contracts.ts"

/** A number as hexadecimal digits of a hash or an address. */
export const hex = (number: number, digits = 64): string => number.toString(16).padStart(digits, "0")
export const wallet = (number: number): string => `0x${hex(number, 40)}`

const genesis = 1_790_000_000_000
const secondsPerBlock = 2

export const timeOf = (block: number): number => genesis + block * secondsPerBlock * 1000

/** A fact without its chain position. */
export type Happening = (place: ChainPosition) => Fact

/** Transactions and their facts. */
export type Transactions = Readonly<Record<string, ReadonlyArray<Happening>>>

const pair = { condition: hex(0xc0), tokens: [hex(0xa1), hex(0xa2)] } as const satisfies TokenPair
export const market = { condition: `0x${pair.condition}`, token: String(0xa1), otherToken: String(0xa2) }

/** A fill of two dollars by wallet 1 against wallet 2, by default. */
export const fill =
  (
    given: Partial<Omit<Fill, "kind" | "maker" | "taker">> & {
      readonly maker?: number
      readonly taker?: number | null
    } = {},
  ) =>
  (place: ChainPosition): Fact => {
    const { maker = 1, taker = 2, ...rest } = given
    return {
      kind: "fill",
      exchange: address.ctfExchange2,
      orderHash: hex(0x0d),
      side: "buy",
      token: pair.tokens[0],
      shares: shares(4_000_000),
      usd: usdc(2_000_000),
      fee: usdc(0),
      feeInShares: false,
      builder: undefined,
      ...rest,
      maker: hex(maker, 40),
      taker: taker === null ? undefined : hex(taker, 40),
      ...place,
    }
  }

export const pairChange =
  (kind: PairChange["kind"], of: number, amount = 5_000_000): Happening =>
  (place) => ({ kind, wallet: hex(of, 40), ...pair, amount: shares(amount), ...place })

/** A chain mined block by block from the ledger's head, and the ledger that follows it. */
export const handChain = Effect.gen(function* () {
  const store = yield* Ledger
  const lease = yield* (yield* Leases).seize("chain")
  const there = yield* store.cursor
  let head = Option.match(there, { onNone: () => 100, onSome: ({ block }) => block })
  const hashes = new Map(Option.toArray(there).map(({ block, hash }) => [block, hash]))
  let blocks = 0
  const hashOf = (number: number) => hashes.get(number) ?? hex(number)

  /** Mines the next block. */
  const mine = Effect.fnUntraced(function* (transactions: Transactions = {}) {
    const number = head + 1
    const at = timeOf(number)
    hashes.set(number, hex(number + ++blocks * 1_000_000))
    let logIndex = 0
    const facts = Object.entries(transactions).flatMap(([tx, happenings]) =>
      happenings.map((happening) => happening({ block: number, logIndex: logIndex++, at, tx: hex(Number(tx)) })),
    )
    const last = { number, hash: hashOf(number) }
    const known = [{ ...last, parent: hashOf(number - 1), at, logs: facts.length }]
    const prepared = yield* store.prepare({
      first: number,
      last,
      head: number,
      blocks: known,
      facts,
      pairs: [pair],
      isUndoable: true,
      eventsSince: 0,
      approvals: [],
      blockSummaries: new Map(),
    })
    yield* store.append(lease, prepared)
    head = number
    return number
  })

  return {
    mine,
    /** Mines empty blocks. */
    wait: (blocks: number) => Effect.forEach(Array.from({ length: blocks }), () => mine(), { discard: true }),
    /** The node calls a block final. */
    finalize: (block: number) => store.setFinalized(lease, { number: block, hash: hashOf(block) }),
    /** The node calls a block final that the ledger has with another hash. */
    finalizeOther: (block: number) => store.setFinalized(lease, { number: block, hash: hex(0xdead) }),
    /** Retracts the blocks after a block. */
    fork: (block: number) =>
      Effect.andThen(
        store.rollback(lease, { number: block, hash: hashOf(block) }),
        Effect.sync(() => {
          head = block
        }),
      ),
  }
})
