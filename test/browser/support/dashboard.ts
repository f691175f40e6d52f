import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { BrowserContextOptions, Page } from "playwright-core"
import { enter, Stage, tab } from "./Stage.ts"

export const wait = <A>(run: () => Promise<A>) => Effect.promise(run)
export const seen = (page: Page, words: string | RegExp, timeout = 30_000) =>
  wait(() => page.getByText(words).first().waitFor({ timeout }))
export const press = (page: Page, name: string | RegExp) =>
  wait(() =>
    page
      .getByRole("button", { name, exact: typeof name === "string" })
      .first()
      .click(),
  )
export const heading = (page: Page, name: string) => wait(() => page.getByRole("heading", { name, level: 1 }).waitFor())
export const go = (page: Page, section: string) =>
  wait(() => page.getByRole("navigation", { name: "Dashboard" }).getByRole("link", { name: section }).click())

/** The dashboard in a new tab, signed in; also every address that the page asked for. */
export const signedIn = (key: string, options: BrowserContextOptions = {}) =>
  Effect.gen(function* () {
    const { page, errors } = yield* tab(options, "/dashboard")
    const asked: Array<string> = []
    page.on("request", (request) => asked.push(request.url()))
    page.on("websocket", (socket) => asked.push(socket.url()))
    yield* enter(page, key)
    yield* heading(page, "Usage")
    return { page, errors, asked }
  })

/** A request of a program, beside the browser. */
export const api = (key: string | undefined, path: string, method = "GET", body?: unknown) =>
  Effect.gen(function* () {
    const { url } = yield* Stage
    const response = yield* wait(() =>
      fetch(`${url}${path}`, {
        method,
        headers: {
          ...(key === undefined ? {} : { "x-api-key": key }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    )
    // biome-ignore lint/suspicious/noExplicitAny: tests read what they expect
    return (yield* wait(() => response.json())) as any
  })

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

interface Violation {
  readonly id: string
  readonly impact: string
  readonly nodes: ReadonlyArray<{ readonly html: string }>
}

/** Fails on serious findings, and on a page that is wider than its window. Needs a context with `bypassCSP`. */
export const assertAccessible = (page: Page, what: string) =>
  Effect.gen(function* () {
    yield* wait(() => page.evaluate(`window.axe === undefined && ${axe}`))
    const found = (yield* wait(() =>
      page.evaluate("axe.run().then(({ violations }) => violations)"),
    )) as Array<Violation>
    const serious = found.filter(({ impact }) => impact === "serious" || impact === "critical")
    assert.deepStrictEqual(
      serious.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`),
      [],
      what,
    )
    const overflow = yield* wait(() => page.evaluate("document.scrollingElement.scrollWidth - innerWidth"))
    assert.isAtMost(Number(overflow), 0, `${what} scrolls sideways`)
  })
