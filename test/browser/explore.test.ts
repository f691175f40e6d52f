import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { call } from "#test/http/support/client.ts"
import { eventually } from "#test/support/eventually.ts"
import { axeFindings, fits } from "./support/axe.ts"
import { enter, Stage, screenshot, tab } from "./support/Stage.ts"

/** Dark differs in colours only. */
const rulesFor = { light: undefined, dark: ["color-contrast"] }

const wait = <A>(run: () => Promise<A>) => Effect.promise(run)
const until = (page: Page, words: string | RegExp) => wait(() => page.getByText(words).first().waitFor())

const ask = (path: string, options: { readonly method?: string; readonly body?: string } = {}) =>
  Effect.gen(function* () {
    const { url, key } = yield* Stage
    const headers = { "x-api-key": key, ...(options.body === undefined ? {} : { "content-type": "application/json" }) }
    return (yield* call(Number(new URL(url).port), path, { ...options, headers })).json
  })

/** A tab with a key, at a path. */
const signedIn = (path: string, options: Parameters<typeof tab>[0] = {}, given?: string) =>
  Effect.gen(function* () {
    const { key } = yield* Stage
    const opened = yield* tab(options, path)
    yield* enter(opened.page, given ?? key)
    yield* wait(() => opened.page.getByRole("button", { name: "Use another key" }).first().waitFor())
    return opened
  })

const heading = (page: Page, name: string | RegExp) => page.getByRole("heading", { name })
/** Without refused requests, which the page shows by itself: a service that has just started answers some with 503. */
const ownErrors = (errors: ReadonlyArray<string>) =>
  errors.filter((text) => !text.startsWith("Failed to load resource"))
/** The chart whose description matches, once it is drawn. A failure quotes the page. */
const chart = (page: Page, summary: RegExp) =>
  wait(async () => {
    try {
      await page.getByRole("img", { name: summary }).first().locator("canvas").waitFor()
    } catch (error) {
      throw new Error(`${error}\n${(await page.locator("main").innerText()).slice(0, 3000)}`)
    }
  })

/** An open market that is traded all the time. */
const busyMarket = Effect.map(ask("/v1/crypto/active"), ({ markets }) => ({
  slug: String(markets[0].slug),
  title: String(markets[0].title),
}))

/** The market with the most of the newest trades: one that was traded once may have no price of the outcome that is shown. */
const mostTradedMarket = Effect.map(ask("/v3/trades?limit=300"), ({ trades }) => {
  const slugs = (trades as ReadonlyArray<{ readonly slug: string | null }>).flatMap(({ slug }) => slug ?? [])
  const [most] = [...Map.groupBy(slugs, (slug) => slug)].sort(([, a], [, b]) => b.length - a.length)
  return most?.[0] ?? assert.fail("nothing was traded")
})

/** A service that has just started is still reading the venue's catalogue. */
const isSearchable = (slug: string, title: string) =>
  Effect.map(ask(`/v3/markets/search?q=${encodeURIComponent(title)}&limit=25`), ({ data = [] }) =>
    data.some((market: { readonly slug: string }) => market.slug === slug),
  )

/** A league with games, once the catalogue has some. */
const leagueWithGames = Effect.gen(function* () {
  const { leagues = [] } = yield* ask("/v2/sports/summary")
  const [first] = [...leagues].sort((a, b) => b.live_games + b.upcoming_games - a.live_games - a.upcoming_games)
  if (first === undefined || first.live_games + first.upcoming_games === 0) return undefined
  const status = first.upcoming_games > 0 ? "Scheduled" : "Live"
  const { games = [] } = yield* ask(`/v2/sports/leagues/${first.league}/games?status=${status.toLowerCase()}&limit=1`)
  return games.length === 0 ? undefined : { league: String(first.league), status }
})
/** Between two questions, so that they do not use up the plan. */
const pause = "500 millis"
const topWallet = Effect.map(ask("/v3/leaderboard?limit=1"), ({ leaderboard }) => String(leaderboard[0].wallet))

layer(Stage.layer, { excludeTestServices: true, timeout: "4 minutes" })("The explorer in a browser", (it) => {
  it.effect("finds a market as its words are typed, and opens it with prices, order book and live trades", () =>
    Effect.gen(function* () {
      const { slug, title } = yield* busyMarket
      yield* eventually("the market is searchable", Effect.delay(isSearchable(slug, title), pause), "2 minutes")
      const { page, errors } = yield* signedIn("/explore")
      yield* wait(() => page.getByRole("searchbox").pressSequentially(title))
      yield* wait(() => page.getByRole("link", { name: title, exact: true }).first().click())
      yield* wait(() => page.waitForURL(`**/explore/markets/${slug}`))
      yield* chart(page, /^Price of Up over \d+ candles: from [\d.]+¢ to [\d.]+¢$/)
      yield* chart(page, /^Order book: \d+ bids up to [\d.]+¢, \d+ asks from [\d.]+¢$/)
      yield* wait(() => page.locator('section[data-live]:not([data-live="0"])').waitFor({ timeout: 120_000 }))
      yield* wait(() => page.getByRole("button", { name: "Down", exact: true }).click())
      yield* chart(page, /^Price of Down/)
      assert.include(page.url(), "outcome=1")
      yield* screenshot(page, "market")
      yield* wait(() => page.goBack())
      yield* chart(page, /^Price of Up/)
      yield* wait(() => page.goBack())
      const typed = Effect.map(
        wait(() => page.getByRole("searchbox").inputValue()),
        (value) => value === title,
      )
      yield* eventually("the searched words are there again", typed)
      assert.deepStrictEqual(ownErrors(errors), [])
    }),
  )

  it.effect("shows the request that it sent, ready to copy and without the key", () =>
    Effect.gen(function* () {
      const { key, url } = yield* Stage
      const { page } = yield* signedIn("/explore?sort=newest", { permissions: ["clipboard-read", "clipboard-write"] })
      const sent = page.waitForRequest((request) => request.url().includes("/v3/markets?"))
      yield* wait(() => page.getByRole("combobox", { name: "Status" }).selectOption("resolved"))
      const request = yield* wait(() => sent)
      yield* wait(() => page.getByRole("table").waitFor())
      yield* wait(() => page.getByRole("button", { name: "Copy as curl" }).click())
      yield* until(page, "Copied")
      const copied = yield* wait(() => page.evaluate<string>("navigator.clipboard.readText()"))
      assert.strictEqual(copied, `curl -H "x-api-key: $PRESAGE_KEY" '${request.url()}'`)
      assert.strictEqual(yield* wait(() => request.headerValue("x-api-key")), key)
      assert.isTrue(request.url().startsWith(`${url}/v3/markets?status=resolved&sort=newest`))
      assert.notInclude(page.url(), key)
    }),
  )

  it.effect("shows what a wallet earned, holds and traded, and explains a position", () =>
    Effect.gen(function* () {
      const wallet = yield* topWallet
      const { page, errors } = yield* signedIn("/explore/wallets")
      yield* wait(() => page.getByLabel("Wallet or user").fill(wallet.toUpperCase().replace("X", "x")))
      yield* wait(() => page.keyboard.press("Enter"))
      yield* wait(() => page.waitForURL(`**/explore/wallets/${wallet}`))
      yield* chart(page, /^Realized P&L over \d+ days: −?\$[\d,.]+ in the end$/)
      for (const label of ["Total P&L", "Fees paid", "Own result"]) yield* until(page, label)
      const trades = page.getByRole("region", { name: "Trades" }).getByRole("row")
      yield* wait(() => trades.nth(1).waitFor())
      yield* wait(() => page.getByRole("button", { name: "All", exact: true }).last().click())
      yield* wait(() =>
        page
          .getByRole("link", { name: /^Explain the P&L/ })
          .first()
          .click(),
      )
      yield* wait(() => heading(page, "P&L explained").waitFor())
      yield* wait(() => page.getByRole("region", { name: "Facts" }).getByRole("row").nth(1).waitFor())
      assert.deepStrictEqual(ownErrors(errors), [])
    }),
  )

  it.effect("ranks wallets within the chosen scope", () =>
    Effect.gen(function* () {
      const { page } = yield* signedIn("/explore/leaderboards")
      const board = page.getByRole("region", { name: "Leaderboard" })
      yield* wait(() => board.getByRole("row").nth(1).waitFor())
      yield* wait(() => page.getByRole("combobox", { name: "Scope" }).selectOption("category"))
      yield* until(page, "Choose a category above.")
      yield* wait(() =>
        page.getByRole("combobox", { name: "Category" }).locator("option[value=crypto]").waitFor({ state: "attached" }),
      )
      const answer = page.waitForResponse((response) => response.url().includes("category=crypto"))
      yield* wait(() => page.getByRole("combobox", { name: "Category" }).selectOption("crypto"))
      const ranked = yield* wait(async () => (await answer).json())
      yield* wait(() => board.getByRole("row").nth(1).waitFor())
      const shown = yield* wait(() => board.getByRole("link").first().getAttribute("title"))
      assert.strictEqual(shown, ranked.leaderboard[0].wallet)
      assert.include(page.url(), "scope=category&value=crypto")
      yield* wait(() => page.reload())
      yield* wait(() => board.getByRole("row").nth(1).waitFor())
    }),
  )

  it.effect("shows the games of a league with prices", () =>
    Effect.gen(function* () {
      const found = Effect.map(leagueWithGames, (league) => league !== undefined)
      yield* eventually("the catalogue has games", Effect.delay(found, pause), "2 minutes")
      const { league, status } = (yield* leagueWithGames) ?? { league: "", status: "" }
      const { page } = yield* signedIn("/explore/sports")
      yield* wait(() => page.getByRole("region", { name: "Leagues" }).getByRole("row").nth(1).waitFor())
      yield* wait(() => page.getByRole("combobox", { name: "League" }).selectOption(league))
      yield* wait(() => page.getByRole("button", { name: status }).click())
      yield* wait(() => page.locator("[data-game] a").first().click())
      yield* wait(() => page.getByRole("region", { name: "Prices" }).getByRole("row").nth(1).waitFor())
      yield* screenshot(page, "game")
    }),
  )

  it.effect("explains unknown slugs and malformed wallets in place", () =>
    Effect.gen(function* () {
      const { page } = yield* signedIn("/explore/markets/no-such-market")
      yield* until(page, 'There is no market "no-such-market".')
      yield* wait(() => page.getByRole("link", { name: "search for its words" }).click())
      assert.strictEqual(yield* wait(() => page.getByRole("searchbox").inputValue()), "no such market")
      const { url } = yield* Stage
      yield* wait(() => page.goto(`${url}/explore/wallets/0x12`))
      yield* until(page, "“0x12” is no wallet address.")
      yield* wait(() => page.goto(`${url}/explore/leaderboards?scope=market&value=no-such-market`))
      yield* until(page, /no-such-market/)
    }),
  )

  it.effect("refuses a wrong key, and says so when a key was revoked", () =>
    Effect.gen(function* () {
      const { page } = yield* tab({}, "/explore")
      yield* enter(page, "psg_live_nonsense")
      yield* wait(() => page.getByRole("alert").waitFor())
      yield* wait(() => page.getByLabel("API key").waitFor())
      const made = yield* ask("/v1/keys", { method: "POST", body: JSON.stringify({ name: "for a test" }) })
      yield* enter(page, made.api_key)
      yield* wait(() => page.getByRole("table").waitFor())
      yield* ask(`/v1/keys/${made.id}`, { method: "DELETE" })
      const { url } = yield* Stage
      const refused = Effect.map(
        call(Number(new URL(url).port), "/v1/usage", { headers: { "x-api-key": made.api_key } }),
        ({ status }) => status === 403,
      )
      yield* eventually("the key is refused", refused)
      yield* wait(() => page.reload())
      yield* wait(() => page.getByRole("alert").getByRole("button", { name: "Use another key" }).click())
      yield* wait(() => page.getByLabel("API key").waitFor())
      assert.deepStrictEqual(yield* wait(() => page.evaluate("Object.values({ ...sessionStorage })")), [])
    }),
  )

  it.effect("shows what a free key may see, and the service's words for the rest", () =>
    Effect.gen(function* () {
      const { url } = yield* Stage
      const made = yield* call(Number(new URL(url).port), "/v1/keys", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: "{}",
      })
      assert.strictEqual(made.status, 201)
      const slug = yield* mostTradedMarket
      const { page } = yield* signedIn(`/explore/markets/${slug}`, {}, made.json.api_key)
      const refused = yield* call(Number(new URL(url).port), `/v3/markets?slug=${slug}`, {
        headers: { "x-api-key": made.json.api_key },
      })
      assert.strictEqual(refused.status, 402)
      yield* until(page, String(refused.json.error))
      yield* wait(() => page.getByRole("region", { name: "Trades" }).getByRole("row").nth(1).waitFor())
      yield* chart(page, /^Price of/)
    }),
  )

  it.effect("waits when there were too many requests, and recovers when the service was away", () =>
    Effect.gen(function* () {
      const { page } = yield* signedIn("/explore/wallets")
      yield* wait(() =>
        page.route("**/v3/leaderboard?**", (route) =>
          route.fulfill({
            status: 429,
            headers: { "retry-after": "1" },
            json: { error: "Too many requests.", hint: "Wait a second." },
          }),
        ),
      )
      yield* wait(() => page.getByRole("navigation").getByRole("link", { name: "Leaderboards" }).click())
      yield* until(page, "Wait a second.")
      yield* wait(() => page.unroute("**/v3/leaderboard?**"))
      yield* wait(() => page.getByRole("table").waitFor())
      yield* wait(() => page.route("**/v3/**", (route) => route.abort()))
      yield* wait(() => page.getByRole("navigation").getByRole("link", { name: "Markets" }).click())
      yield* until(page, "The service does not answer.")
      yield* wait(() => page.unroute("**/v3/**"))
      yield* wait(() => page.getByRole("table").waitFor())
      assert.strictEqual(yield* wait(() => page.getByText("The service does not answer.").count()), 0)
    }),
  )

  it.effect("fits every screen without findings of axe, light and dark", () =>
    Effect.gen(function* () {
      const { url } = yield* Stage
      const { slug } = yield* busyMarket
      const wallet = yield* topWallet
      const views = ["", `/markets/${slug}`, `/wallets/${wallet}`, "/leaderboards", "/sports", "/wallets/0x12"]
      const { page } = yield* signedIn("/explore", { bypassCSP: true, reducedMotion: "reduce" })
      for (const view of views) {
        yield* wait(() => page.goto(`${url}/explore${view}`))
        yield* wait(() => page.locator("table, [role=alert]").first().waitFor())
        yield* wait(() => page.waitForFunction("document.querySelector('[aria-busy=true]') === null"))
        for (const width of [390, 768, 1440]) {
          yield* wait(() => page.setViewportSize({ width, height: 900 }))
          yield* fits(page, `${view} at ${width} px`)
          yield* screenshot(page, `explore${view.replaceAll("/", "-").slice(0, 20)}-${width}`)
        }
        for (const colorScheme of ["light", "dark"] as const) {
          yield* wait(() => page.emulateMedia({ colorScheme }))
          assert.deepStrictEqual(yield* axeFindings(page, rulesFor[colorScheme]), [], `${view}, ${colorScheme}`)
        }
      }
    }),
  )
})
