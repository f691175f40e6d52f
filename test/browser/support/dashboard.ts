import { Effect } from "effect"
import type { BrowserContextOptions, Page } from "playwright-core"
import { httpServer } from "#test/webhooks/sending.ts"
import { heading, wait } from "./acts.ts"
import { signedIn } from "./Stage.ts"

/** Opens a part of the dashboard from its navigation. */
export const go = (page: Page, section: string) =>
  wait(() => page.getByRole("navigation", { name: "Dashboard" }).getByRole("link", { name: section }).click())

/** The first part of the dashboard, with the key of the file or another one. */
export const usage = (options?: BrowserContextOptions, key?: string) =>
  Effect.tap(signedIn("/dashboard", options, key), ({ page }) => heading(page, "Usage"))

/** Somebody's receiver of webhooks. */
export const receiver = Effect.gen(function* () {
  const seen = { deliveries: 0 }
  const { port } = yield* httpServer((_, __, response) => {
    seen.deliveries += 1
    response.writeHead(200).end("thank you")
  })
  return { address: `http://127.0.0.1:${port}/hook`, seen }
})
