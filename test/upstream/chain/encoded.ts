import fc from "fast-check"
import { type AbiEvent, type AbiParameter, encodeAbiParameters, encodeEventTopics, type Hex, parseAbiItem } from "viem"
import type { RawLog } from "#src/upstream/chain/words.ts"
import type { Args, EventCase } from "./EventCase.ts"

type Value = string | bigint | boolean | ReadonlyArray<bigint> | ReadonlyArray<string>
type Values = Readonly<Record<string, Value>>

/** Numbers that name something, or mean more than an amount: they may have all 256 bits. */
const wide = /AssetId$|^tokenId$|^ids?$|^token[01]$|^positionId$|^indexSet$|^allowance$/

const anyWord = fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), fc.constant(0n), fc.constant(1n))
const amount = fc.maxSafeNat().map(BigInt)
/** Of tokens in a transfer, of which a list has five at most. */
const moved = fc.nat().map((number) => BigInt(number) * 90_000n)
const isMoved = (name: string) => name === "value" || name === "values"
const bytes = (count: number) =>
  fc.uint8Array({ minLength: count, maxLength: count }).map((array) => `0x${Buffer.from(array).toString("hex")}`)
const someBytes = fc.nat(100).chain(bytes)

const anyOf = ({ type, name = "" }: AbiParameter): fc.Arbitrary<Value> => {
  switch (type) {
    case "address":
      return bytes(20)
    case "bytes":
      return someBytes
    case "address[]":
      return fc.array(bytes(20), { maxLength: 5 })
    case "bytes29":
      return bytes(29)
    case "bytes31":
      return bytes(31)
    case "bytes32":
      return fc.oneof(bytes(32), fc.constant(`0x${"0".repeat(64)}`))
    case "bool":
      return fc.boolean()
    case "uint8":
      return fc.constantFrom(0n, 1n)
    case "int256":
      return fc.bigInt({ min: -(2n ** 255n), max: 2n ** 255n - 1n })
    case "uint256[]":
      return fc.array(wide.test(name) ? anyWord : isMoved(name) ? moved : amount, { maxLength: 5 })
    case "uint256":
      return wide.test(name) ? anyWord : isMoved(name) ? moved : amount
    default:
      throw new Error(`no values for ${type}`)
  }
}

/** What contracts see to: a trade is shares for collateral, and lists go together. */
const consistent = (values: Values): Values => {
  const result = { ...values }
  const { makerAssetId, takerAssetId, ids, values: amounts, payoutNumerators } = values
  if (typeof makerAssetId === "bigint" && typeof takerAssetId === "bigint") {
    const token = makerAssetId + takerAssetId === 0n ? 7n : makerAssetId || takerAssetId
    const isBuy = takerAssetId > makerAssetId
    Object.assign(result, { makerAssetId: isBuy ? 0n : token, takerAssetId: isBuy ? token : 0n })
  }
  if (Array.isArray(ids) && Array.isArray(amounts)) {
    const length = Math.min(ids.length, amounts.length)
    Object.assign(result, { ids: ids.slice(0, length), values: amounts.slice(0, length) })
  }
  if (Array.isArray(payoutNumerators)) Object.assign(result, { outcomeSlotCount: BigInt(payoutNumerators.length) })
  return result
}

/** Arguments as they were drawn, or as viem decodes them: it gives small numbers and mixed-case addresses. */
export const argsOf = (values: Readonly<Record<string, unknown>>): Args => {
  const big = (name: string) => {
    const value = values[name]
    if (typeof value !== "bigint" && typeof value !== "number") throw new Error(`${name} is no number`)
    return BigInt(value)
  }
  const list = (name: string) => {
    const value = values[name]
    if (!Array.isArray(value)) throw new Error(`${name} is no list`)
    return value as ReadonlyArray<bigint>
  }
  const word = (value: bigint) => value.toString(16).padStart(64, "0")
  return {
    big,
    hex: (name) => String(values[name]).slice(2).toLowerCase(),
    id: (name) => word(big(name)),
    ids: (name) => list(name).map(word),
    number: (name) => Number(big(name)),
    numbers: (name) => list(name).map(Number),
    flag: (name) => values[name] === true,
  }
}

export const abiOf = ({ event }: EventCase): AbiEvent => {
  const item = parseAbiItem(event as string)
  if (item.type !== "event") throw new Error(`no event: ${event}`)
  return item
}

const encode = (abi: AbiEvent, values: Values): RawLog => {
  const topics = encodeEventTopics({ abi: [abi], eventName: abi.name, args: values })
  const inData = abi.inputs.filter(({ indexed }) => indexed !== true)
  const data = encodeAbiParameters(
    inData,
    inData.map(({ name = "" }) => values[name]),
  )
  return { topics: topics.map((each) => each as Hex), data }
}

/** Logs of an event with random arguments, as the contract would emit them. */
export const logsOf = (each: EventCase) => {
  const abi = abiOf(each)
  const values = fc.record(Object.fromEntries(abi.inputs.map((input) => [input.name ?? "", anyOf(input)])))
  return fc.record({ contract: fc.constantFrom(...each.contracts), values }).map(({ contract, values: drawn }) => {
    const used = consistent(drawn)
    return { contract, args: argsOf(used), log: encode(abi, used) }
  })
}
