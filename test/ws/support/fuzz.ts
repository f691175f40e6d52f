import { eventTypes } from "#src/feed/model.ts"
import type { Dice } from "#src/simulator/random.ts"
import { streamTypes } from "#src/streams/protocol/streamTypes.ts"
import { frame } from "./wire.ts"

const wallet = `0x${"ab".repeat(20)}`

const valid = (dice: Dice): object =>
  dice.pick<() => object>([
    () => ({ action: "ping" }),
    () => ({ action: "subscribe" }),
    () => ({ action: "subscribe", type: dice.pick(streamTypes), filters: { wallets: [wallet], min_size: 5 } }),
    () => ({ action: "subscribe", type: dice.pick(streamTypes), event_types: [dice.pick(eventTypes)] }),
    () => ({ action: "subscribe", type: "global", snapshot_count: dice.below(50), since: 1 }),
    () => ({ action: "subscribe", type: "fills", resume: { seq: dice.below(100), epoch: "e" } }),
    () => ({ action: "subscribe", type: "oracle", filters: { feeds: ["BTC", "ETH/USD"], twap_windows: [30] } }),
    () => ({ action: "subscribe", type: "orderbook", token_ids: [String(dice.next())], markets: ["*"] }),
    () => ({ action: "update", subscription_id: `x:${dice.below(5)}`, filters: { slugs: ["a-b"], side: "BUY" } }),
    () => ({ action: "unsubscribe" }),
    () => ({ action: "unsubscribe", type: dice.pick(streamTypes) }),
    () => ({ action: "resync", token_ids: ["1", "2"] }),
  ])()

const oddities = [
  ...["null", "true", "-0", "1e999", "1e-999", "0.1", "9007199254740993", '""', "[]", "{}", "[[[[[[]]]]]]"],
  ...['"\\ud800"', '"\\u0000"', '{"__proto__":{"a":1}}', '{"constructor":1}', '"0x"', '"*"'],
]

const randomJson = (dice: Dice, depth = 0): unknown => {
  if (depth > 5 || dice.chance(0.4)) return JSON.parse(dice.pick(oddities))
  const length = dice.below(5)
  if (dice.chance(0.5)) return Array.from({ length }, () => randomJson(dice, depth + 1))
  const names = ["action", "type", "filters", "wallets", "tokens", "resume", "seq", "since", "x"]
  return Object.fromEntries(Array.from({ length }, () => [dice.pick(names), randomJson(dice, depth + 1)]))
}

/** Removes, repeats, replaces or reverses a part of a text. */
const mutated = (dice: Dice, text: string): string => {
  const [from, to] = [dice.below(text.length + 1), dice.below(text.length + 1)].toSorted((a, b) => a - b) as [
    number,
    number,
  ]
  const middle = text.slice(from, to)
  const replacement = dice.pick<() => string>([
    () => "",
    () => middle.repeat(dice.between(2, 20)),
    () => dice.pick(oddities),
    () => String.fromCharCode(dice.below(0xd800)),
    () => [...middle].toReversed().join(""),
  ])()
  return text.slice(0, from) + replacement + text.slice(to)
}

/** A valid or invalid message. */
export const anyMessage = (dice: Dice): string | Uint8Array => {
  const roll = dice.unit()
  if (roll < 0.25) return JSON.stringify(valid(dice))
  if (roll < 0.65) return mutated(dice, JSON.stringify(valid(dice)))
  if (roll < 0.8) return JSON.stringify(randomJson(dice))
  if (roll < 0.9)
    return JSON.stringify({ ...valid(dice), [dice.pick(["filters", "type", "action"])]: randomJson(dice) })
  return randomBytes(dice)
}

const randomBytes = (dice: Dice) => Uint8Array.from({ length: dice.skewed(0, 3_000) }, () => dice.below(256))

/** A sequence of frames, some of them broken, the last one possibly truncated. */
export const anyFrames = (dice: Dice, count: number): Buffer => {
  const frames = Array.from({ length: count }, () => {
    if (dice.chance(0.1)) return Buffer.from(randomBytes(dice))
    return frame(dice.chance(0.9) ? 1 : dice.below(16), anyMessage(dice), {
      isLast: dice.chance(0.95),
      isMasked: dice.chance(0.97),
      reserved: dice.chance(0.97) ? 0 : dice.below(8),
    })
  })
  const all = Buffer.concat(frames)
  return dice.chance(0.5) ? all.subarray(0, dice.below(all.length + 1)) : all
}
