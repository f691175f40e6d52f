import { assert, describe, it } from "@effect/vitest"
import { decodeEventLog, type Hex, keccak256, parseAbi, toBytes } from "viem"
import { Chain } from "#src/simulator/chain/Chain.ts"
import { address, topic } from "#src/simulator/chain/contracts.ts"
import { type Log, LogMaker } from "#src/simulator/chain/logs.ts"
import { walletAddress } from "#src/simulator/chain/naming.ts"
import { firstBlock } from "#src/simulator/world/blockClock.ts"
import { Act, exchange, Side } from "#src/simulator/world/Facts.ts"
import { makeWorld } from "#src/simulator/world/makeWorld.ts"

/** Signatures as the contracts declare them, written down here a second time. */
const signatures: Record<keyof typeof topic, string> = {
  orderFilled1: "OrderFilled(bytes32,address,address,uint256,uint256,uint256,uint256,uint256)",
  ordersMatched1: "OrdersMatched(bytes32,address,uint256,uint256,uint256,uint256)",
  feeCharged1: "FeeCharged(address,uint256,uint256)",
  orderFilled2: "OrderFilled(bytes32,address,address,uint8,uint256,uint256,uint256,uint256,bytes32,bytes32)",
  ordersMatched2: "OrdersMatched(bytes32,address,uint8,uint256,uint256,uint256)",
  feeCharged2: "FeeCharged(address,uint256)",
  conditionPreparation: "ConditionPreparation(bytes32,address,bytes32,uint256)",
  conditionResolution: "ConditionResolution(bytes32,address,bytes32,uint256,uint256[])",
  positionSplit: "PositionSplit(address,address,bytes32,bytes32,uint256[],uint256)",
  positionsMerge: "PositionsMerge(address,address,bytes32,bytes32,uint256[],uint256)",
  payoutRedemption: "PayoutRedemption(address,address,bytes32,bytes32,uint256[],uint256)",
  transferSingle: "TransferSingle(address,address,address,uint256,uint256)",
  transferBatch: "TransferBatch(address,address,address,uint256[],uint256[])",
  negRiskSplit: "PositionSplit(address,bytes32,uint256)",
  negRiskMerge: "PositionsMerge(address,bytes32,uint256)",
  positionsConverted: "PositionsConverted(address,bytes32,uint256,uint256)",
  negRiskRedemption: "PayoutRedemption(address,bytes32,uint256[],uint256)",
  outcomeReported: "OutcomeReported(bytes32,bytes32,bool)",
  feeRefunded: "FeeRefunded(bytes32,address,uint256,uint256,uint256)",
  questionResolved: "QuestionResolved(bytes32,int256,uint256[])",
  transfer: "Transfer(address,address,uint256)",
  wrapped: "Wrapped(address,address,address,uint256)",
  unwrapped: "Unwrapped(address,address,address,uint256)",
}

const abi = parseAbi([
  "event OrderFilled(bytes32 indexed orderHash, address indexed maker, address indexed taker, uint8 side, uint256 tokenId, uint256 makerAmountFilled, uint256 takerAmountFilled, uint256 fee, bytes32 builder, bytes32 metadata)",
  "event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)",
  "event PayoutRedemption(address indexed redeemer, address indexed collateralToken, bytes32 indexed parentCollectionId, bytes32 conditionId, uint256[] indexSets, uint256 payout)",
  "event PositionSplit(address indexed stakeholder, address collateralToken, bytes32 indexed parentCollectionId, bytes32 indexed conditionId, uint256[] partition, uint256 amount)",
  "event ConditionResolution(bytes32 indexed conditionId, address indexed oracle, bytes32 indexed questionId, uint256 outcomeSlotCount, uint256[] payoutNumerators)",
])

/** An OrderFilled of the second exchange, read by its ABI. */
const decoded = ({ topics, data }: Log) => {
  const { args } = decodeEventLog({ abi, eventName: "OrderFilled", topics: topics as [Hex], data: data as Hex })
  if (args === undefined) throw new Error("an OrderFilled without arguments")
  return args
}

const genesis = 1_794_700_800_000
const { world, wallets, builders } = makeWorld({ seed: 5, genesis, scale: "tiny" })
world.advanceTo(genesis)
const logs = new LogMaker(
  world,
  wallets,
  builders.map(({ code }) => code),
  9,
)
const { facts, venue } = world
const acts = Array.from({ length: facts.length }, (_, act) => act)
const ofKind = (kind: number) => acts.filter((act) => facts.kind.get(act) === kind)

describe("The logs of the simulated chain", () => {
  it("carry the topics of the contracts' signatures", () => {
    for (const [name, hash] of Object.entries(topic)) {
      assert.strictEqual(hash, keccak256(toBytes(signatures[name as keyof typeof topic])), name)
    }
  })

  it("of a match come in the contracts' order, and say what was filled", () => {
    const matches = ofKind(Act.match).filter((act) => venue.markets[facts.market.get(act)]?.exchange === "ctf2")
    assert.isNotEmpty(matches)
    for (const act of matches) {
      const made = logs.logsOf(act)
      const first = facts.firstFill.get(act)
      const fills = made.filter((log) => log.topics[0] === topic.orderFilled2)
      assert.strictEqual(fills.length, facts.fillCount.get(act))
      fills.forEach((log, i) => {
        const fill = first + i
        const args = decoded(log)
        const isBuy = facts.side.get(fill) === Side.buy
        const [usd, shares] = isBuy
          ? [args.makerAmountFilled, args.takerAmountFilled]
          : [args.takerAmountFilled, args.makerAmountFilled]
        const taker = facts.taker.get(fill)
        assert.strictEqual(args.maker.toLowerCase(), wallets[facts.maker.get(fill)]?.address)
        assert.strictEqual(args.taker.toLowerCase(), taker === exchange ? address.ctf2 : wallets[taker]?.address)
        assert.deepStrictEqual(
          [args.side, args.tokenId, usd, shares, args.fee],
          [
            facts.side.get(fill),
            BigInt(venue.tokens[facts.fillToken.get(fill)]?.id ?? 0),
            BigInt(facts.usd.get(fill)),
            BigInt(facts.shares.get(fill)),
            BigInt(facts.fee.get(fill)),
          ],
        )
      })
      // The taker's own order is last, its fee just before it, and the summary after it.
      const names = made.map((log) => log.topics[0])
      assert.strictEqual(names.at(-1), topic.ordersMatched2)
      assert.strictEqual(names.at(-2), topic.orderFilled2)
      if (facts.fee.get(first + fills.length - 1) > 0) assert.strictEqual(names.at(-3), topic.feeCharged2)
    }
  })

  it("decode with the contracts' ABI for every other kind", () => {
    const seen = new Set<string>()
    // One in five is plenty: to decode all of them takes longer than everything else here.
    for (const act of acts.filter((each) => each % 5 === 0)) {
      for (const log of logs.logsOf(act)) {
        if (
          log.address !== address.ctf ||
          log.topics[0] === topic.transferSingle ||
          log.topics[0] === topic.conditionPreparation
        )
          continue
        if (log.topics[0] === topic.positionsMerge) continue
        const { eventName, args } = decodeEventLog({ abi, topics: log.topics as [Hex], data: log.data as Hex })
        seen.add(eventName)
        if (eventName === "ConditionResolution" && args !== undefined) {
          assert.deepStrictEqual(args.payoutNumerators, venue.markets[facts.market.get(act)]?.payouts?.map(BigInt))
        }
      }
    }
    assert.deepStrictEqual([...seen].sort(), [
      "ConditionResolution",
      "PayoutRedemption",
      "PositionSplit",
      "TransferBatch",
    ])
  })

  it("have consecutive places within their block, whatever is asked for", () => {
    const chain = new Chain(world, logs, 5)
    const head = chain.headAt(genesis)
    const ask = (fromBlock: number, toBlock: number, addresses?: ReadonlySet<string>) =>
      JSON.parse(chain.logsJson({ fromBlock, toBlock, addresses, topics: [] })) as Array<Record<string, string>>
    const all = ask(head - 5000, head)
    assert.isNotEmpty(all)
    const key = (log: Record<string, string>) => `${log.blockNumber} ${log.logIndex}`
    assert.strictEqual(new Set(all.map(key)).size, all.length)
    const some = ask(head - 5000, head, new Set([address.ctf2]))
    assert.deepStrictEqual(some.map(key), all.filter((log) => log.address === address.ctf2).map(key))
    assert.isTrue(all.every((log) => Number(log.blockNumber) >= firstBlock))
  })

  it("move exactly the shares that the books say, for every wallet and token", () => {
    const owned = new Map<string, bigint>()
    const move = (from: string, to: string, token: bigint, amount: bigint) => {
      for (const [who, change] of [
        [from, -amount],
        [to, amount],
      ] as const) {
        const key = `${who} ${token}`
        owned.set(key, (owned.get(key) ?? 0n) + change)
      }
    }
    for (const act of acts) {
      for (const { topics, data } of logs.logsOf(act)) {
        const [, , from, to] = topics.map((each) => `0x${each.slice(26)}`)
        const words =
          data
            .slice(2)
            .match(/.{64}/g)
            ?.map((each) => BigInt(`0x${each}`)) ?? []
        if (topics[0] === topic.transferSingle) move(from ?? "", to ?? "", words[0] ?? 0n, words[1] ?? 0n)
        if (topics[0] !== topic.transferBatch) continue
        for (const i of [0, 1]) move(from ?? "", to ?? "", words[3 + i] ?? 0n, words[6 + i] ?? 0n)
      }
    }
    const { books } = venue
    for (let position = 0; position < books.shares.length; position++) {
      const who = wallets[books.walletOf.get(position)]?.address
      const token = venue.tokens[books.tokenOf.get(position)]?.id
      assert.strictEqual(owned.get(`${who} ${token}`) ?? 0n, BigInt(books.shares.get(position)), `${who} ${token}`)
    }
  })

  it("put wallets where the factories do", () => {
    const owner = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"
    assert.strictEqual(walletAddress(owner, "proxy"), "0x365f0ca36ae1f641e02fe3b7743673da42a13a70")
    assert.strictEqual(walletAddress(owner, "safe"), "0xd93b25cb943d14d0d34fbaf01fc93a0f8b5f6e47")
  })
})
