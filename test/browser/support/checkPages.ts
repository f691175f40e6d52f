import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { untilSettled } from "../../../scripts/pictures/chromium.ts"
import type { Shown } from "../../../scripts/pictures/pages.ts"
import { wait } from "./acts.ts"
import { fits, seriousFindings } from "./axe.ts"
import { type Opened, Stage, sizes } from "./Stage.ts"

/** Waits until the page has its title and waits for no answer. */
export const settled = (page: Page) => wait(() => untilSettled(page))

/**
 * Each page has its title, fits its window at 390, 768 and 1440 px, and axe finds nothing serious, light and dark. They are
 * opened in one tab, so that data is loaded once for all sizes.
 */
export const checkPages = ({ page, errors }: Opened, pages: ReadonlyArray<Shown>) =>
  Effect.gen(function* () {
    const { url } = yield* Stage
    for (const { name, path } of pages) {
      yield* wait(() => page.goto(`${url}${path}`))
      yield* settled(page)
      yield* wait(() => page.setViewportSize({ width: 768, height: 900 }))
      yield* fits(page, `${name} at 768 px`)
      for (const [size, { viewport, colorScheme }] of Object.entries(sizes)) {
        yield* wait(() => page.setViewportSize(viewport))
        yield* wait(() => page.emulateMedia({ colorScheme, reducedMotion: "reduce" }))
        yield* fits(page, `${name} on a ${size}`)
        yield* wait(() => page.locator(`html[data-theme=${colorScheme}]`).waitFor({ state: "attached" }))
        assert.deepStrictEqual(yield* seriousFindings(page), [], `${name} on a ${size}`)
      }
      assert.deepStrictEqual(errors, [], name)
    }
  })
