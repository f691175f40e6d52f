import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Page, Request } from "playwright-core"
import { eventually } from "#test/support/eventually.ts"
import { wait } from "./acts.ts"
import { settled } from "./checkPages.ts"

/** What a page keeps in memory. */
export interface Kept {
  readonly bytes: number
  /** Of the document, and those that left it but are still referred to. */
  readonly nodes: number
}

/** After a garbage collection. */
const keptBy = (page: Page) =>
  wait(async (): Promise<Kept> => {
    const session = await page.context().newCDPSession(page)
    await session.send("HeapProfiler.collectGarbage")
    const { usedSize } = await session.send("Runtime.getHeapUsage")
    const { nodes } = await session.send("Memory.getDOMCounters")
    await session.detach()
    return { bytes: usedSize, nodes }
  })

const difference = (before: Kept, after: Kept): Kept => ({
  bytes: after.bytes - before.bytes,
  nodes: after.nodes - before.nodes,
})

/** How far the clock moves at a time: no page asks more often. */
const step = 5_000
/** No page asks less often. */
const rarest = 30_000
/** Before the measurement: what is made once, such as compiled code, is no growth. */
const warmUp = 2 * rarest

/** Moves the clock of a page on by so much, and waits for the answers to what it asks then. Returns how often it asked. */
const passing = (page: Page) => {
  const open = new Set<Request>()
  let asked = 0
  let done = () => {}
  page.on("request", (request) => {
    open.add(request)
    asked += 1
  })
  const close = (request: Request) => {
    open.delete(request)
    if (open.size === 0) done()
  }
  page.on("requestfinished", close)
  page.on("requestfailed", close)
  const answered = async () => {
    if (open.size > 0) await new Promise<void>((resolve) => (done = resolve))
  }
  return (millis: number) =>
    wait(async () => {
      // What was asked before goes on only with its answer.
      await answered()
      const before = asked
      for (let passed = 0; passed < millis; passed += step) {
        await page.clock.runFor(step)
        await answered()
      }
      return asked - before
    })
}

/** What a page keeps that asks for its data again and again, while its clock runs for `millis`; undefined if it does not. */
export const growthOfPolling = (page: Page, millis: number) =>
  Effect.gen(function* () {
    const pass = passing(page)
    yield* wait(() => page.clock.install())
    yield* wait(() => page.reload())
    yield* settled(page)
    yield* wait(() => page.clock.pauseAt(Date.now() + step))
    if ((yield* pass(warmUp)) === 0) return undefined
    const before = yield* keptBy(page)
    const asked = yield* pass(millis)
    assert.isAtLeast(asked, Math.floor(millis / rarest), "updates in that time")
    return difference(before, yield* keptBy(page))
  })

/**
 * Runs in a page before its scripts: it receives every event and price `times` times, each as one of its own, a second later
 * than the one before.
 */
export const hasten = (times: number) => `(() => {
  const Native = WebSocket
  let sent = 0
  window.received = 0
  const copiesOf = (text) => {
    const frame = JSON.parse(text)
    if (frame.type !== "event" && frame.type !== "price_feed") return [text]
    return Array.from({ length: ${times} }, () => {
      sent += 1
      const copy = structuredClone(frame)
      if (typeof copy.timestamp_ms === "number") copy.timestamp_ms += sent * 1000
      if (typeof copy.data?.tx_hash === "string") copy.data.tx_hash = "0x" + sent.toString(16).padStart(64, "0")
      return JSON.stringify(copy)
    })
  }
  window.WebSocket = class extends Native {
    set onmessage(handler) {
      super.onmessage = ({ data }) => {
        for (const text of copiesOf(data)) {
          window.received += 1
          handler({ data: text })
        }
      }
    }
  }
})()`

const received = (page: Page) => wait(() => page.evaluate<number>("window.received"))

/** What a page keeps of so many frames of a stream. */
export const growthOfStream = (page: Page, frames: number) =>
  Effect.gen(function* () {
    const until = (count: number) =>
      eventually(
        `${count} frames arrive`,
        Effect.map(received(page), (arrived) => arrived >= count),
        "5 minutes",
      )
    yield* until(2_000)
    const before = yield* keptBy(page)
    yield* until((yield* received(page)) + frames)
    return difference(before, yield* keptBy(page))
  })
