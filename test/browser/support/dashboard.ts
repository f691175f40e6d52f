import { Effect } from "effect"
import type { BrowserContextOptions, Page } from "playwright-core"
import { heading, wait } from "./acts.ts"
import { signedIn } from "./Stage.ts"

/** Opens a part of the dashboard from its navigation. */
export const go = (page: Page, section: string) =>
  wait(() => page.getByRole("navigation", { name: "Dashboard" }).getByRole("link", { name: section }).click())

/** The first part of the dashboard, with the key of the file or another one. */
export const usage = (options?: BrowserContextOptions, key?: string) =>
  Effect.tap(signedIn("/dashboard", options, key), ({ page }) => heading(page, "Usage"))
