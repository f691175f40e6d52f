import { Effect } from "effect"
import type { Page } from "playwright-core"
import { eventually } from "#test/support/eventually.ts"

/** What people do on a page, and see. */

export const wait = <A>(run: () => Promise<A>) => Effect.promise(run)

/** Types a key where the page asks for one. */
export const enter = (page: Page, key: string) =>
  wait(async () => {
    await page.getByLabel("API key").fill(key)
    await page.keyboard.press("Enter")
  })

export const seen = (page: Page, words: string | RegExp, timeout = 60_000) =>
  wait(() => page.getByText(words).first().waitFor({ timeout }))

export const gone = (page: Page, words: string | RegExp) =>
  wait(() => page.getByText(words).first().waitFor({ state: "detached" }))

export const press = (page: Page, name: string | RegExp) =>
  wait(() =>
    page
      .getByRole("button", { name, exact: typeof name === "string" })
      .first()
      .click(),
  )

/** The button of the open dialog. */
export const confirm = (page: Page, name: string) =>
  wait(() => page.getByRole("dialog").getByRole("button", { name, exact: true }).click())

export const heading = (page: Page, name: string | RegExp) =>
  wait(() => page.getByRole("heading", { name, level: 1 }).waitFor())

export const stored = (page: Page, storage: "sessionStorage" | "localStorage", name: string) =>
  wait(() => page.evaluate<string | null>(`${storage}.getItem(${JSON.stringify(name)})`))

/** From now on, `later` can move the clock of the page on, whose time passes as usual otherwise. */
export const withClock = (page: Page) =>
  wait(async () => {
    await page.clock.install()
    await page.reload()
  })

/** Until the page asks for its data again, and a retry after the service was away. */
export const later = (page: Page) => wait(() => page.clock.fastForward(5_000))

/** Asks again, as the notice offers, until no notice is left: another process learns of a new limit a moment later. */
export const untilAllowed = (page: Page) =>
  eventually(
    "nothing is refused",
    wait(async () => {
      const offers = page.getByRole("button", { name: "Try again now" })
      if ((await offers.count()) === 0) return true
      // The page also asks by itself, and then the offer is gone.
      await offers
        .first()
        .click({ timeout: 500 })
        .catch(() => undefined)
      return false
    }),
  )
