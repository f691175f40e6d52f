import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { eventually } from "#test/support/eventually.ts"
import { rowsIn } from "../../scripts/examples/world.ts"
import { missingIn, namesIn } from "../../scripts/pictures/names.ts"
import { explorerPages } from "../../scripts/pictures/pages.ts"
import { enter, gone, heading, press, seen, stored, untilAllowed, wait } from "./support/acts.ts"
import { api } from "./support/api.ts"
import { checkPages } from "./support/checkPages.ts"
import { allowPerMinute, bothSizes, newAccount, Stage, signedIn, tab } from "./support/Stage.ts"

const ask = (path: string, method?: string, body?: unknown) =>
  Effect.flatMap(Stage, ({ key }) => api(key, path, method, body))

/** The chart whose description matches, once it is drawn. A failure quotes the page. */
const chart = (page: Page, summary: RegExp) =>
  wait(async () => {
    try {
      await page.getByRole("img", { name: summary }).first().locator("canvas").waitFor()
    } catch (error) {
      throw new Error(`${error}\n${(await page.locator("main").innerText()).slice(0, 3000)}`)
    }
  })

interface Listed {
  readonly slug: string
  readonly question: string
  readonly end_date: string
}

/**
 * The market of a coin that is traded most at the moment and does not end during a test. Trades of the last minute count: those
 * of the history, which are most trades of a service that has just started, lie hours apart.
 */
const busyMarket = Effect.gen(function* () {
  const { data } = yield* ask("/v3/markets?status=open&sort=volume_24h&limit=100")
  const until = Date.now() + 120_000
  const since = Date.now() / 1000 - 60
  const newest = rowsIn(yield* ask("/v3/trades?limit=300")).filter(({ timestamp }) => Number(timestamp) >= since)
  const tradesOf = ({ slug }: Listed) => newest.filter((trade) => trade["slug"] === slug).length
  const [found] = (data as ReadonlyArray<Listed>)
    .filter(({ slug, question, end_date }) => slug && / Up or Down/.test(question) && Date.parse(end_date) > until)
    .sort((a, b) => tradesOf(b) - tradesOf(a))
  return found ?? assert.fail("no market of a coin is open")
})

/** Between two questions, so that they do not use up the plan. */
const pause = "500 millis"

/** A service that has just started is still reading the venue's catalogue. */
const isSearchable = ({ slug, question }: Listed) =>
  Effect.map(ask(`/v3/markets/search?q=${encodeURIComponent(question)}&limit=25`), ({ data = [] }) =>
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

const topWallet = Effect.map(ask("/v3/leaderboard?limit=1"), ({ leaderboard }) => String(leaderboard[0].wallet))

const firstRow = (page: Page, table: string) =>
  wait(() => page.getByRole("region", { name: table }).getByRole("row").nth(1).waitFor())

layer(Stage.layer, { excludeTestServices: true, timeout: "4 minutes" })("The explorer in a browser", (it) => {
  for (const [size, options] of bothSizes) {
    it.effect(`finds a market as its words are typed, and opens it with its charts and live trades, on a ${size}`, () =>
      Effect.gen(function* () {
        const { page, errors } = yield* signedIn("/explore", options)
        const { url } = yield* Stage
        // Even a busy market may be quiet for a while: then another one is opened.
        const opened = Effect.gen(function* () {
          const market = yield* busyMarket
          const { slug, question } = market
          yield* eventually("the market is searchable", Effect.delay(isSearchable(market), pause))
          yield* wait(() => page.goto(`${url}/explore`))
          yield* wait(() => page.getByRole("searchbox").pressSequentially(question))
          yield* wait(() => page.waitForURL(({ searchParams }) => searchParams.get("q") === question))
          yield* wait(() => page.getByRole("link", { name: question, exact: true }).first().click())
          yield* wait(() => page.waitForURL(`**/explore/markets/${slug}`))
          yield* chart(page, /^Price of Up over \d+ candles: from [\d.]+¢ to [\d.]+¢$/)
          yield* chart(page, /^Order book: \d+ bids up to [\d.]+¢, \d+ asks from [\d.]+¢$/)
          const live = page.locator('section[data-live]:not([data-live="0"])')
          const isTraded = yield* wait(() =>
            live.waitFor({ timeout: 40_000 }).then(
              () => true,
              () => false,
            ),
          )
          return { question, isTraded }
        })
        const { question, isTraded } = yield* Effect.repeat(opened, { until: (found) => found.isTraded, times: 4 })
        assert.isTrue(isTraded)
        yield* press(page, "Down")
        yield* chart(page, /^Price of Down/)
        assert.include(page.url(), "outcome=1")
        yield* wait(() => page.goBack())
        yield* chart(page, /^Price of Up/)
        yield* wait(() => page.goBack())
        const typed = Effect.map(
          wait(() => page.getByRole("searchbox").inputValue()),
          (value) => value === question,
        )
        yield* eventually("the searched words are there again", typed)
        assert.deepStrictEqual(errors, [])
      }),
    )

    it.effect(`shows the request that it sent, ready to copy and without the key, on a ${size}`, () =>
      Effect.gen(function* () {
        const { key, url } = yield* Stage
        const permissions = ["clipboard-read", "clipboard-write"]
        const { page } = yield* signedIn("/explore?sort=newest", { ...options, permissions })
        const sent = page.waitForRequest((request) => request.url().includes("/v3/markets?status=resolved"))
        yield* wait(() => page.getByRole("combobox", { name: "Status" }).selectOption("resolved"))
        const request = yield* wait(() => sent)
        yield* wait(() => page.getByRole("table").waitFor())
        yield* press(page, "Copy as curl")
        yield* seen(page, "Copied")
        const copied = yield* wait(() => page.evaluate<string>("navigator.clipboard.readText()"))
        assert.strictEqual(copied, `curl -H "x-api-key: $PRESAGE_KEY" '${request.url()}'`)
        assert.strictEqual(yield* wait(() => request.headerValue("x-api-key")), key)
        assert.isTrue(request.url().startsWith(`${url}/v3/markets?status=resolved&sort=newest`))
        assert.notInclude(page.url(), key)
      }),
    )

    it.effect(`shows what a wallet earned, holds and traded, and explains a position, on a ${size}`, () =>
      Effect.gen(function* () {
        const wallet = yield* topWallet
        const { page, errors } = yield* signedIn("/explore/wallets", options)
        yield* wait(() => page.getByLabel("Wallet or user").fill(wallet.toUpperCase().replace("X", "x")))
        yield* wait(() => page.keyboard.press("Enter"))
        yield* wait(() => page.waitForURL(`**/explore/wallets/${wallet}`))
        yield* chart(page, /^Realized P&L over \d+ days: −?\$[\d,.]+ in the end$/)
        for (const label of ["Total P&L", "Fees paid", "Own result"]) yield* seen(page, label)
        yield* firstRow(page, "Trades")
        yield* wait(() => page.getByRole("button", { name: "All", exact: true }).last().click())
        yield* wait(() =>
          page
            .getByRole("link", { name: /^Explain the P&L/ })
            .first()
            .click(),
        )
        yield* heading(page, "P&L explained")
        yield* firstRow(page, "Facts")
        assert.deepStrictEqual(errors, [])
      }),
    )

    it.effect(`turns the pages of what a wallet holds and traded, on a ${size}`, () =>
      Effect.gen(function* () {
        const { leaderboard } = yield* ask("/v3/leaderboard?sort=volume&limit=1")
        const { page, errors } = yield* signedIn(`/explore/wallets/${leaderboard[0].wallet}?positions=all`, options)
        for (const list of ["Positions", "Trades"]) {
          const pages = page.getByRole("navigation", { name: `Pages of the ${list.toLowerCase()}` })
          const rows = page.getByRole("region", { name: list, exact: true }).getByRole("row")
          const turn = (to: "Next" | "Previous", range: string) =>
            wait(async () => {
              await pages.getByRole("button", { name: to }).click()
              await pages.getByText(range, { exact: true }).waitFor()
              assert.strictEqual(await rows.count(), 51, list)
              return rows.getByRole("link").evaluateAll((links) => links.map((link) => link.getAttribute("href")))
            })
          yield* wait(() => pages.getByText("1–50", { exact: true }).waitFor())
          assert.isTrue(yield* wait(() => pages.getByRole("button", { name: "Previous" }).isDisabled()))
          const second = yield* turn("Next", "51–100")
          const third = yield* turn("Next", "101–150")
          assert.notDeepEqual(third, second, list)
          // A new position may have come in between.
          const again = new Set(yield* turn("Previous", "51–100"))
          assert.isAbove(second.filter((link) => again.has(link)).length, second.length * 0.9, list)
        }
        assert.deepStrictEqual(errors, [])
      }),
    )

    it.effect(`ranks wallets within the chosen scope on a ${size}`, () =>
      Effect.gen(function* () {
        const { page } = yield* signedIn("/explore/leaderboards", options)
        const board = page.getByRole("region", { name: "Leaderboard" })
        yield* firstRow(page, "Leaderboard")
        yield* wait(() => page.getByRole("combobox", { name: "Scope" }).selectOption("category"))
        yield* seen(page, "Choose a category above.")
        const names = page.getByRole("combobox", { name: "Category" })
        yield* wait(() => names.locator("option[value=crypto]").waitFor({ state: "attached" }))
        const answer = page.waitForResponse((response) => response.url().includes("category=crypto"))
        yield* wait(() => names.selectOption("crypto"))
        const ranked = yield* wait(async () => (await answer).json())
        yield* firstRow(page, "Leaderboard")
        const shown = yield* wait(() => board.getByRole("link").first().getAttribute("title"))
        assert.strictEqual(shown, ranked.leaderboard[0].wallet)
        assert.include(page.url(), "scope=category&value=crypto")
        yield* wait(() => page.reload())
        yield* firstRow(page, "Leaderboard")
      }),
    )

    it.effect(`shows the games of a league with prices on a ${size}`, () =>
      Effect.gen(function* () {
        const found = Effect.map(leagueWithGames, (league) => league !== undefined)
        yield* eventually("the catalogue has games", Effect.delay(found, pause))
        const { league, status } = (yield* leagueWithGames) ?? { league: "", status: "" }
        const { page } = yield* signedIn("/explore/sports", options)
        yield* firstRow(page, "Leagues")
        yield* wait(() => page.getByRole("combobox", { name: "League" }).selectOption(league))
        yield* press(page, status)
        yield* wait(() => page.locator("[data-game] a").first().click())
        yield* firstRow(page, "Prices")
      }),
    )

    it.effect(`explains unknown slugs and malformed wallets in place on a ${size}`, () =>
      Effect.gen(function* () {
        const { url } = yield* Stage
        const { page } = yield* signedIn("/explore/markets/no-such-market", options)
        yield* seen(page, 'There is no market "no-such-market".')
        yield* wait(() => page.getByRole("link", { name: "search for its words" }).click())
        assert.strictEqual(yield* wait(() => page.getByRole("searchbox").inputValue()), "no such market")
        yield* wait(() => page.goto(`${url}/explore/wallets/0x12`))
        yield* seen(page, "“0x12” is no wallet address.")
        yield* wait(() => page.goto(`${url}/explore/leaderboards?scope=market&value=no-such-market`))
        yield* seen(page, /no-such-market/)
      }),
    )

    it.effect(`refuses a wrong key, and says so when a key was revoked, on a ${size}`, () =>
      Effect.gen(function* () {
        const { page } = yield* tab("/explore", options)
        yield* enter(page, "psg_live_nonsense")
        yield* wait(() => page.getByRole("alert").waitFor())
        yield* wait(() => page.getByLabel("API key").waitFor())
        const made = yield* ask("/v1/keys", "POST", { name: "for a test" })
        yield* enter(page, made.api_key)
        yield* wait(() => page.getByRole("table").waitFor())
        yield* ask(`/v1/keys/${made.id}`, "DELETE")
        const refused = Effect.map(api(made.api_key, "/v1/usage"), ({ error = "" }) => /inactive/.test(error))
        yield* eventually("the key is refused", refused)
        yield* wait(() => page.reload())
        yield* wait(() => page.getByRole("alert").getByRole("button", { name: "Use another key" }).click())
        yield* wait(() => page.getByLabel("API key").waitFor())
        assert.isNull(yield* stored(page, "sessionStorage", "presage-key"))
      }),
    )

    it.effect(`shows what a free key may see, and the service's words for the rest, on a ${size}`, () =>
      Effect.gen(function* () {
        const { key } = yield* newAccount("free")
        const { slug } = yield* busyMarket
        const { page } = yield* signedIn(`/explore/markets/${slug}`, options, key)
        const refused = yield* api(key, `/v3/markets?slug=${slug}`)
        assert.match(refused.error, /requires a paid plan/)
        yield* seen(page, String(refused.error))
        yield* firstRow(page, "Trades")
        yield* chart(page, /^Price of/)
      }),
    )

    it.effect(`waits when there were too many requests, and recovers when the service was away, on a ${size}`, () =>
      Effect.gen(function* () {
        const { api: proxy } = yield* Stage
        const account = yield* newAccount("growth")
        const { page } = yield* signedIn("/explore/wallets", options, account.key)
        yield* allowPerMinute(account, 1)
        const limited = Effect.map(api(account.key, "/v1/status"), ({ error = "" }) => /Rate limit/.test(error))
        yield* eventually("the limit is reached", limited)
        yield* wait(() => page.getByRole("navigation").getByRole("link", { name: "Leaderboards" }).click())
        yield* seen(page, /Trying again in \d+ s\./)
        yield* allowPerMinute(account, null)
        yield* untilAllowed(page)
        yield* firstRow(page, "Leaderboard")
        proxy.isClosed = true
        proxy.cut()
        yield* wait(() => page.getByRole("navigation").getByRole("link", { name: "Markets" }).click())
        yield* seen(page, "The service does not answer.")
        proxy.isClosed = false
        yield* firstRow(page, "Markets")
        yield* gone(page, "The service does not answer.")
      }),
    )
  }

  it.effect("fits every window, light and dark, without serious findings of axe", () =>
    Effect.gen(function* () {
      const { url, key } = yield* Stage
      const names = Effect.promise(() => namesIn({ address: url, key }))
      const areThere = Effect.map(names, (found) => missingIn(found) === undefined)
      yield* eventually("there is something of each kind", Effect.delay(areThere, pause))
      const pages = explorerPages(yield* names)
      const others = [
        { name: "an unknown wallet", path: "/explore/wallets/0x12" },
        { name: "an unknown page", path: "/explore/nothing" },
      ]
      yield* checkPages(yield* signedIn("/explore"), [...pages, ...others])
    }),
  )
})
