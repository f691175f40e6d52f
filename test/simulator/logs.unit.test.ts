import { assert, describe, it } from "@effect/vitest"
import { decodeEventLog, type Hex, keccak256, parseAbi, toBytes } from "viem"
import { Chain } from "#src/simulator/chain/Chain.ts"
import { address, topic } from "#src/simulator/chain/contracts.ts"
import { walletAddress } from "#src/simulator/chain/ids.ts"
import { type Log, LogEncoder } from "#src/simulator/chain/LogEncoder.ts"
import { firstBlock } from "#src/simulator/world/blockClock.ts"
import { exchangeAsTaker, Side, TxKind } from "#src/simulator/world/Facts.ts"
import { makeWorld } from "#src/simulator/world/makeWorld.ts"

/** Event signatures of the contracts, independent of the implementation. */
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
  marketPrepared: "MarketPrepared(bytes32,address,uint256,bytes)",
  questionPrepared: "QuestionPrepared(bytes32,bytes32,uint256,bytes)",
  tokenRegistered: "TokenRegistered(uint256,uint256,bytes32)",
  questionInitialized: "QuestionInitialized(bytes32,uint256,address,bytes,address,uint256,uint256)",
  approval: "Approval(address,address,uint256)",
  approvalForAll: "ApprovalForAll(address,address,bool)",
  positionsSplit: "PositionsSplit(address,bytes31,address,address,uint256)",
  positionsMerged: "PositionsMerged(address,bytes31,address,uint256)",
  positionRedeemed: "PositionRedeemed(address,uint256,address,uint256,uint256)",
  routerSplit: "RouterPositionSplit(address,bytes31,uint256)",
  routerMerge: "RouterPositionsMerged(address,bytes31,uint256)",
  routerRedemption: "RouterPositionRedeemed(address,uint256,uint256)",
  comboPrepared: "CombinatorialConditionPrepared(bytes31,uint256[])",
  comboCompressed: "Compressed(address,uint256,uint256,address,uint256,uint256,uint256)",
  comboWrapped: "Wrapped(address,uint256,uint256,address,uint256)",
  comboUnwrapped: "Unwrapped(address,uint256,uint256,address,uint256)",
  comboExtracted: "Extracted(address,bytes31,bytes31,bytes31,address,address,uint256)",
  comboInjected: "Injected(address,bytes31,bytes31,bytes31,address,uint256)",
  sequenceEnded: "CombinatorialCollateralReturned(address,uint256)",
  conditionResolved: "ConditionResolved(bytes31,uint256[])",
  resultReported: "ResultReported(address,bytes31,uint256[])",
  migrationResolved: "MigrationResolved(bytes31,bytes32,uint256,uint256,uint256,uint256)",
  splitOnCondition: "SplitOnCondition(address,bytes31,bytes31,bytes31,address,address,uint256)",
  mergedOnCondition: "MergedOnCondition(address,bytes31,bytes31,bytes31,address,uint256)",
  convertedToYesBasket: "ConvertedToYesBasket(address,bytes31,address[],uint256)",
  mergedFromYesBasket: "MergedFromYesBasket(address,bytes31,address,uint256)",
  migrationRegistered: "MigrationConditionRegistered(bytes31,bytes32)",
  autoRedemption: "Redemption(address,uint256,uint256)",
  autoBinaryRedemption: "BinaryRedemption(address,bytes32,uint256)",
  autoNegRiskRedemption: "NegRiskRedemption(address,bytes32,uint256)",
}

const abi = parseAbi([
  "event OrderFilled(bytes32 indexed orderHash, address indexed maker, address indexed taker, uint8 side, uint256 tokenId, uint256 makerAmountFilled, uint256 takerAmountFilled, uint256 fee, bytes32 builder, bytes32 metadata)",
  "event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)",
  "event PayoutRedemption(address indexed redeemer, address indexed collateralToken, bytes32 indexed parentCollectionId, bytes32 conditionId, uint256[] indexSets, uint256 payout)",
  "event PositionSplit(address indexed stakeholder, address collateralToken, bytes32 indexed parentCollectionId, bytes32 indexed conditionId, uint256[] partition, uint256 amount)",
  "event ConditionResolution(bytes32 indexed conditionId, address indexed oracle, bytes32 indexed questionId, uint256 outcomeSlotCount, uint256[] payoutNumerators)",
])

/** An OrderFilled of the second exchange, decoded by its ABI. */
const decoded = ({ topics, data }: Log) => {
  const { args } = decodeEventLog({ abi, eventName: "OrderFilled", topics: topics as [Hex], data: data as Hex })
  if (args === undefined) throw new Error("OrderFilled without arguments")
  return args
}

const genesis = 1_794_700_800_000
const isSoak = process.env.PRESAGE_SOAK === "1"
const seeds = isSoak ? [5, 6, 7, 8, 9, 10, 11, 12] : [5]

describe.each(seeds)("LogEncoder with seed %i", (seed) => {
  const { world, wallets, builders } = makeWorld({ seed, genesis, scale: "tiny" })
  world.advanceTo(genesis)
  const logs = new LogEncoder(
    world,
    wallets,
    builders.map(({ code }) => code),
    9,
  )
  const { facts, venue } = world
  const txs = Array.from({ length: facts.length }, (_, tx) => tx)
  const encodedLogs = txs.map((tx) => logs.logsOf(tx))
  const logsOf = (tx: number) => encodedLogs[tx] ?? []
  const ofKind = (kind: number) => txs.filter((tx) => facts.kind.get(tx) === kind)

  it("uses the topics of the contracts' event signatures", () => {
    for (const [name, hash] of Object.entries(topic)) {
      assert.strictEqual(hash, keccak256(toBytes(signatures[name as keyof typeof topic])), name)
    }
  })

  it("encodes a match in the contracts' order, with the filled amounts", () => {
    const matches = ofKind(TxKind.match).filter((tx) => logs.exchangeOf(tx).generation === 2)
    assert.isNotEmpty(matches)
    // One in five: decoding is most of the cost.
    for (const tx of isSoak ? matches : matches.filter((_, index) => index % 5 === 0)) {
      const encoded = logsOf(tx)
      const first = facts.firstFill.get(tx)
      const fills = encoded.filter((log) => log.topics[0] === topic.orderFilled2)
      assert.strictEqual(fills.length, facts.fillCount.get(tx))
      fills.forEach((log, i) => {
        const fill = first + i
        const args = decoded(log)
        const isBuy = facts.side.get(fill) === Side.buy
        const [usd, shares] = isBuy
          ? [args.makerAmountFilled, args.takerAmountFilled]
          : [args.takerAmountFilled, args.makerAmountFilled]
        const taker = facts.taker.get(fill)
        assert.strictEqual(args.maker.toLowerCase(), wallets[facts.maker.get(fill)]?.address)
        assert.strictEqual(
          args.taker.toLowerCase(),
          taker === exchangeAsTaker ? logs.exchangeOf(tx).address : wallets[taker]?.address,
        )
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
      // Of the exchange's logs, the taker's own order is last, its fee just before it, and the summary after it.
      const { address: exchange } = logs.exchangeOf(tx)
      const names = encoded.filter((log) => log.address === exchange).map((log) => log.topics[0])
      assert.strictEqual(names.at(-1), topic.ordersMatched2)
      assert.strictEqual(names.at(-2), topic.orderFilled2)
      if (facts.fee.get(first + fills.length - 1) > 0) assert.strictEqual(names.at(-3), topic.feeCharged2)
    }
  })

  it("fills some orders several times, with one maker, token, side and price, at most once per match", () => {
    const orders = new Map<string, Array<number>>()
    for (let fill = 0; fill < facts.maker.length; fill++) {
      const hash = logs.orderHash(fill)
      orders.set(hash, [...(orders.get(hash) ?? []), fill])
    }
    const filledBitByBit = [...orders.values()].filter((fills) => fills.length > 1)
    assert.isNotEmpty(filledBitByBit)
    for (const fills of filledBitByBit) {
      const terms = fills.map((fill) =>
        [facts.maker, facts.fillToken, facts.side]
          .map((column) => column.get(fill))
          .concat(Math.round((facts.usd.get(fill) / facts.shares.get(fill)) * 10_000))
          .join(),
      )
      assert.lengthOf(new Set(terms), 1)
      assert.lengthOf(new Set(fills.map((fill) => facts.txOf(fill))), fills.length)
      const { side, makerAmount, takerAmount } = logs.orders.of(fills[0] ?? 0)
      const filled = fills.reduce((sum, fill) => sum + facts.shares.get(fill), 0)
      assert.isAtMost(filled, side === Side.buy ? takerAmount : makerAmount)
    }
  })

  it("encodes all other kinds so that the contracts' ABI decodes them", () => {
    const seen = new Set<string>()
    // Some: decoding all takes longer than all the other tests.
    for (const tx of txs.filter((each) => each % (isSoak ? 5 : 15) === 0)) {
      for (const log of logsOf(tx)) {
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
          assert.deepStrictEqual(args.payoutNumerators, venue.markets[facts.market.get(tx)]?.payouts?.map(BigInt))
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

  it("numbers logs within their block independent of the filter", () => {
    const chain = new Chain(world, logs, 5, genesis)
    const head = chain.headAt(genesis)
    const ask = (fromBlock: number, toBlock: number, addresses?: ReadonlySet<string>) =>
      chain
        .logTexts({ fromBlock, toBlock, addresses, topics: [] })
        .map((text) => JSON.parse(text) as Record<string, string>)
    const all = ask(head - 5000, head)
    assert.isNotEmpty(all)
    const key = (log: Record<string, string>) => `${log.blockNumber} ${log.logIndex}`
    assert.strictEqual(new Set(all.map(key)).size, all.length)
    const some = ask(head - 5000, head, new Set([address.ctf2]))
    assert.deepStrictEqual(some.map(key), all.filter((log) => log.address === address.ctf2).map(key))
    assert.isTrue(all.every((log) => Number(log.blockNumber) >= firstBlock))
  })

  it("moves the same shares as the books, for every wallet and token", () => {
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
    for (const tx of txs) {
      for (const { topics, data } of logsOf(tx)) {
        if (topics[0] !== topic.transferSingle && topics[0] !== topic.transferBatch) continue
        const [, , from, to] = topics.map((each) => `0x${each.slice(26)}`)
        const words =
          data
            .slice(2)
            .match(/.{64}/g)
            ?.map((each) => BigInt(`0x${each}`)) ?? []
        if (topics[0] === topic.transferSingle) move(from ?? "", to ?? "", words[0] ?? 0n, words[1] ?? 0n)
        if (topics[0] !== topic.transferBatch) continue
        const count = Number(words[2])
        for (let i = 0; i < count; i++) move(from ?? "", to ?? "", words[3 + i] ?? 0n, words[4 + count + i] ?? 0n)
      }
    }
    const { books } = venue
    for (let position = 0; position < books.shares.length; position++) {
      const who = wallets[books.walletOf.get(position)]?.address
      const token = venue.tokens[books.tokenOf.get(position)]?.id
      assert.strictEqual(owned.get(`${who} ${token}`) ?? 0n, BigInt(books.shares.get(position)), `${who} ${token}`)
    }
  })

  it("moves the same collateral as the books, in the currency of its time", () => {
    const balance = (collateral: string) => {
      const owned = new Map<string, number>()
      for (const tx of txs) {
        for (const { address: contract, topics, data } of logsOf(tx)) {
          if (contract !== collateral || topics[0] !== topic.transfer) continue
          const [from, to] = topics.slice(1).map((each) => `0x${each.slice(26)}`) as [string, string]
          owned.set(from, (owned.get(from) ?? 0) - Number(data))
          owned.set(to, (owned.get(to) ?? 0) + Number(data))
        }
      }
      return owned
    }
    const [first, second] = [balance(address.usdce), balance(address.pusd)]
    for (const { index, address: who } of wallets) {
      const legacy = venue.books.legacyCash.get(index)
      assert.strictEqual(first.get(who) ?? 0, legacy)
      assert.strictEqual(second.get(who) ?? 0, venue.books.cash.get(index) - legacy)
    }
    // Adapters and exchanges keep nothing of what passes through them.
    for (const through of [address.collateralAdapter, address.negRiskCollateralAdapter, address.ctf1, address.ctf2]) {
      assert.deepStrictEqual([first.get(through) ?? 0, second.get(through) ?? 0], [0, 0], through)
    }
  })

  it("encodes combos: legs, approvals, executions and redemptions, but no results", () => {
    const combos = venue.markets.filter(({ isCombo }) => isCombo)
    assert.isNotEmpty(combos)
    const isOfCombo = (tx: number) => venue.markets[facts.market.get(tx)]?.isCombo === true
    const encoded = txs.filter(isOfCombo).flatMap((tx) => logsOf(tx))
    const names = new Set(encoded.map((log) => log.topics[0]))
    for (const name of ["comboPrepared", "migrationRegistered", "orderFilled2", "positionRedeemed"] as const) {
      assert.isTrue(names.has(topic[name]), name)
    }
    const resolved = combos.filter(({ payouts }) => payouts !== undefined)
    assert.isNotEmpty(resolved)
    for (const { resolvedBy, legs = [] } of resolved) {
      const decisive = legs.find(({ market }) => market.resolvedBy === resolvedBy)
      assert.isDefined(decisive)
      assert.strictEqual(facts.market.get(resolvedBy ?? -1), decisive.market.index)
    }
    for (const combo of combos) {
      const [yes, no] = combo.tokens.map((token) => venue.tokens[token])
      assert.strictEqual(`0x${yes?.hex.slice(0, 62)}00`, combo.conditionId)
      assert.strictEqual(no?.hex, `${yes?.hex.slice(0, 62)}01`)
      assert.strictEqual(venue.tokenWithId(yes?.id ?? ""), yes)
      assert.strictEqual(venue.tokenWithId(no?.id ?? ""), no)
      for (const { market, outcome } of combo.legs ?? []) {
        if (combo.payouts?.[0] === 1 && combo.payouts[1] === 0) assert.strictEqual(market.payouts?.[outcome], 1)
      }
    }
    const traders = new Set(
      ofKind(TxKind.match)
        .filter(isOfCombo)
        .map((tx) => facts.wallet.get(tx)),
    )
    const approved = new Set(ofKind(TxKind.approve).map((tx) => facts.wallet.get(tx)))
    assert.isNotEmpty([...traders])
    assert.isTrue([...traders].every((wallet) => approved.has(wallet)))
  })

  it("finds tokens and conditions by id", () => {
    for (const token of venue.tokens.filter(({ index }) => index % 97 === 0)) {
      assert.strictEqual(venue.tokenWithId(token.id), token)
      assert.strictEqual(venue.marketWithCondition(token.market.conditionId), token.market)
    }
    for (const id of ["", "0", "1", "x", "9".repeat(78), "9".repeat(200)]) assert.isUndefined(venue.tokenWithId(id))
    assert.isUndefined(venue.marketWithCondition("0x"))
  })

  it("derives wallet addresses like the factories", () => {
    const owner = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"
    assert.strictEqual(walletAddress(owner, "proxy"), "0x365f0ca36ae1f641e02fe3b7743673da42a13a70")
    assert.strictEqual(walletAddress(owner, "safe"), "0xd93b25cb943d14d0d34fbaf01fc93a0f8b5f6e47")
  })
})
