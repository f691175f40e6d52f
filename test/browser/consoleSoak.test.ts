import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ConsoleStage, consoleTab } from "./support/ConsoleStage.ts"

const wait = <A>(run: () => Promise<A>) => Effect.promise(run)

/** An hour of the page's timers; the whole hour in a soak, a few minutes otherwise. */
const rounds = process.env.PRESAGE_SOAK === "1" ? 720 : 24
const roundMillis = 5_000

layer(ConsoleStage.layer, { excludeTestServices: true, timeout: "3 minutes" })("The console left open", (it) => {
  it.effect("does not grow by more than 20 MB in an hour", () =>
    Effect.gen(function* () {
      const { browser } = yield* ConsoleStage
      const { page } = yield* consoleTab("/processes")
      yield* wait(() => page.locator(".chart canvas").first().waitFor({ timeout: 60_000 }))
      const session = yield* wait(() => page.context().newCDPSession(page))
      const heap = wait(async () => {
        await session.send("HeapProfiler.collectGarbage")
        return (await session.send("Runtime.getHeapUsage")).usedSize
      })
      yield* wait(() => page.clock.install())
      yield* wait(() => page.reload())
      yield* wait(() => page.locator(".chart canvas").first().waitFor({ timeout: 60_000 }))
      const before = yield* heap
      for (let round = 0; round < rounds; round++) {
        const answered = page.waitForResponse((response) => response.url().endsWith("/ops/v1/processes"))
        yield* wait(() => page.clock.runFor(roundMillis))
        yield* wait(() => answered)
      }
      const after = yield* heap
      assert.isBelow(after - before, 20_000_000)
      assert.isTrue(browser.isConnected())
      yield* Effect.logInfo(`the heap grew from ${before} to ${after} bytes in ${rounds} rounds`)
    }),
  )
})
