import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { confirm, heading, press, seen, wait } from "./support/acts.ts"
import { go, receiver, usage } from "./support/dashboard.ts"
import { bothSizes, Stage } from "./support/Stage.ts"

const exact = { exact: true }

layer(Stage.layer, { excludeTestServices: true, timeout: "4 minutes" })("Webhooks of the dashboard", (it) => {
  for (const [size, options] of bothSizes)
    it.effect(`creates a webhook with a preview, tests it, and shows each attempt and its payload, on a ${size}`, () =>
      Effect.gen(function* () {
        const { address, seen: receivedBy } = yield* receiver
        const { page, errors } = yield* usage(options)
        yield* go(page, "Webhooks")
        yield* press(page, "Create a webhook")
        yield* wait(() => page.getByLabel("Address", exact).fill(address))
        yield* wait(() => page.getByRole("checkbox", { name: /^large_trade/ }).check())
        yield* seen(page, "required")
        yield* wait(() => page.getByRole("checkbox", { name: /^large_trade/ }).uncheck())
        yield* wait(() => page.getByRole("checkbox", { name: /^trade/ }).check())
        yield* wait(() => page.getByLabel("min_amount_usd", exact).fill("1"))
        yield* press(page, "Preview")
        yield* seen(page, "would have been sent")
        yield* press(page, "Create")
        assert.match(yield* wait(() => page.locator(".secret code").innerText()), /^whsec_/)
        yield* press(page, "Close")
        yield* heading(page, "Webhook")
        yield* press(page, "Send a test")
        yield* seen(page, "The test was delivered: status 200")
        assert.isAbove(receivedBy.deliveries, 0)
        const delivered = page
          .getByRole("row")
          .filter({ hasText: "delivered" })
          .filter({ has: page.getByText("Redeliver") })
        yield* wait(() => delivered.first().waitFor({ timeout: 120_000 }))
        yield* press(page, "Pause")
        yield* press(page, "Resume")
        yield* wait(() => page.getByRole("button", { name: "Pause" }).waitFor())
        yield* wait(() => delivered.first().getByRole("button", { name: "View" }).click())
        yield* seen(page, '"amount_usd"')
        yield* seen(page, "thank you")
        yield* press(page, "Close")
        yield* wait(() => delivered.last().getByRole("button", { name: "Redeliver" }).click())
        yield* seen(page, "is queued again")
        yield* press(page, "Replay")
        yield* confirm(page, "Replay")
        yield* seen(page, "deliveries are queued again")
        yield* press(page, "Rotate secret")
        yield* press(page, "Rotate")
        assert.match(yield* wait(() => page.locator(".secret code").innerText()), /^whsec_/)
        yield* press(page, "Close")
        yield* go(page, "Webhooks")
        yield* wait(() => page.getByRole("row", { name: new RegExp(`${address}.*100.0 %`) }).waitFor())
        yield* wait(() => page.getByRole("link", { name: address }).click())
        yield* press(page, "Delete")
        yield* confirm(page, "Delete")
        yield* heading(page, "Webhooks")
        yield* wait(() => page.getByRole("link", { name: address }).waitFor({ state: "detached" }))
        assert.deepStrictEqual(errors, [])
      }).pipe(Effect.scoped),
    )
})
