import { assert, describe, it } from "@effect/vitest"
import { decodeFunctionData, type Hex, parseAbi } from "viem"
import { exchangeOf, topic } from "#src/simulator/chain/contracts.ts"
import { firstOrderHash } from "#src/simulator/chain/orderHash.ts"
import type { Token } from "#src/simulator/world/Venue.ts"
import { scenarios } from "../explain/scenarios.ts"
import { marketOf, positionsOf } from "./recordedActions.ts"

const abi = parseAbi([
  "struct Order { uint256 salt; address maker; address signer; address taker; uint256 tokenId; uint256 makerAmount; uint256 takerAmount; uint256 expiration; uint256 nonce; uint256 feeRateBps; uint8 side; uint8 signatureType; bytes signature; }",
  "function fillOrder(Order order, uint256 fillAmount)",
  "function fillOrders(Order[] orders, uint256[] fillAmounts)",
  "function matchOrders(Order takerOrder, Order[] makerOrders, uint256 takerFillAmount, uint256[] makerFillAmounts)",
  "function matchOrders(Order takerOrder, Order[] makerOrders, uint256 takerFillAmount, uint256 takerReceiveAmount, uint256[] makerFillAmounts, uint256 takerFeeAmount, uint256[] makerFeeAmounts)",
])

type RecordedOrder = Extract<
  ReturnType<typeof decodeFunctionData<typeof abi>>,
  { functionName: "fillOrder" }
>["args"][0]

/** The signed orders of a call, the taker's first. */
const ordersIn = (input: string): ReadonlyArray<RecordedOrder> => {
  const { functionName, args } = decodeFunctionData({ abi, data: input as Hex })
  if (functionName === "fillOrder") return [args[0]]
  return functionName === "fillOrders" ? args[0] : [args[0], ...args[1]]
}

const calls = scenarios.flatMap((scenario) => {
  const negRisk = scenario.id.startsWith("negrisk-")
  if (!/^(negrisk-)?exchange1-/.test(scenario.id)) return []
  return scenario.transactions
    .filter(({ logs }) => logs.some(({ topics }) => topics[0] === topic.orderFilled1))
    .map(({ input, logs }) => ({
      id: scenario.id,
      positions: positionsOf(marketOf(scenario), { generation: 1, negRisk }),
      input,
      logs,
    }))
})

describe("Hashes of orders on the first exchanges", () => {
  it.each(calls)("are those that the contracts log: $id", ({ positions, input, logs }) => {
    assert.strictEqual(exchangeOf(positions.market, false), positions.exchange)
    const hashes = ordersIn(input).map((order) => {
      assert.deepStrictEqual([BigInt(order.taker), order.expiration, order.nonce], [0n, 0n, 0n])
      const token = { hex: order.tokenId.toString(16).padStart(64, "0"), market: positions.market } as Token
      return firstOrderHash({
        salt: Number(order.salt),
        maker: order.maker.toLowerCase(),
        signer: order.signer.toLowerCase(),
        token,
        makerAmount: Number(order.makerAmount),
        takerAmount: Number(order.takerAmount),
        feeRateBps: Number(order.feeRateBps),
        side: order.side,
        signatureType: order.signatureType,
      })
    })
    const logged = logs.filter(({ topics }) => topics[0] === topic.orderFilled1).map(({ topics }) => topics[1] ?? "")
    assert.deepStrictEqual(hashes.toSorted(), logged.toSorted())
  })

  it("are checked on both exchanges", () => {
    assert.isAbove(calls.filter(({ id }) => id.startsWith("exchange1-")).length, 10)
    assert.isAbove(calls.filter(({ id }) => id.startsWith("negrisk-")).length, 10)
  })
})
