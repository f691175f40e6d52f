import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { Journal } from "#src/simulator/Journal.ts"
import { Simulation } from "#src/simulator/Simulation.ts"
import { defaultEngines, type Engine } from "#src/simulator/searxng/engines.ts"
import { type SearxngOptions, searxngService } from "#src/simulator/searxng/searxngService.ts"
import { makeServer } from "#src/simulator/server.ts"
import type { WireRequest } from "#src/simulator/wire.ts"

const genesis = 1_794_700_800_000
const day = 86_400_000

const sim = new Simulation(Journal.open(undefined, { seed: 7, genesis, scale: "brief" }), () => genesis + 60_000)
sim.freeze()

interface Result {
  readonly url: string
  readonly title: string
  readonly engine: string
  readonly engines: ReadonlyArray<string>
  readonly positions: ReadonlyArray<number>
  readonly score: number
  readonly category: string
  readonly publishedDate: string | null
  readonly parsed_url: ReadonlyArray<string>
}

interface Answer {
  readonly query: string
  readonly results: ReadonlyArray<Result>
  readonly answers: ReadonlyArray<{ readonly answer: string; readonly engine: string }>
  readonly suggestions: ReadonlyArray<string>
  readonly unresponsive_engines: ReadonlyArray<readonly [string, string]>
}

const client = (options: SearxngOptions = {}, world = sim) => {
  const service = searxngService(world, options)
  const send = (target: string, over: Partial<WireRequest> = {}) => {
    const { pathname, searchParams } = new URL(target, "http://searxng")
    return service({ method: "GET", path: pathname, query: searchParams, target, headers: {}, body: "", ...over })
  }
  const search = (params: Readonly<Record<string, string>>): Answer => {
    const { status, body } = send(`/search?${new URLSearchParams({ format: "json", ...params })}`)
    assert.strictEqual(status, 200, body.slice(0, 300))
    return JSON.parse(body)
  }
  return { send, search }
}

// Without random outages.
const { send, search } = client()
const statusOf = (params: string) => send(`/search?format=json&${params}`).status
const weightOf = new Map(defaultEngines.map(({ name, weight }) => [name, weight]))

describe("searxngService", () => {
  it("responses have exactly the real service's keys and pages about the simulated world", () => {
    const answer = search({ q: "  bitcoin   price " })
    assert.hasAllKeys(answer, [
      "query",
      "results",
      "answers",
      "corrections",
      "infoboxes",
      "suggestions",
      "unresponsive_engines",
    ])
    assert.strictEqual(answer.query, "bitcoin price")
    assert.isAbove(answer.results.length, 10)
    assert.isTrue(answer.results.some(({ title }) => title.includes("Bitcoin")))
    assert.match(answer.answers[0]?.answer ?? "", /^1 BTC = [\d,.]+ USD$/)
    assert.isNotEmpty(answer.suggestions)
    for (const { url, parsed_url } of answer.results) {
      const [scheme, host, path, parameters, query, fragment] = parsed_url
      assert.lengthOf(parsed_url, 6)
      assert.strictEqual(`${scheme}://${host}${path}${query === "" ? "" : `?${query}`}`, url)
      assert.deepStrictEqual([parameters, fragment], ["", ""])
    }
    assert.lengthOf(new Set(answer.results.map(({ url }) => url)), answer.results.length)
    const team = sim.model.catalogue.teams[0]
    assert.isTrue(search({ q: team?.name ?? "" }).results.some(({ title }) => title.includes(team?.name ?? "")))
    assert.isNotEmpty(search({ q: "something that nobody ever wrote about" }).results)
    assert.isEmpty(search({ q: "?!" }).results)
  })

  it("results are scored by their engine positions and ordered by score", () => {
    const { results } = search({ q: "lakers" })
    for (const { engines, positions, score, engine } of results) {
      assert.strictEqual(engine, engines[0])
      assert.lengthOf(positions, engines.length)
      const weight = engines.reduce((product, name) => product * (weightOf.get(name) ?? 0), 1) * positions.length
      assert.closeTo(
        score,
        positions.reduce((sum, position) => sum + weight / position, 0),
        1e-9,
      )
    }
    assert.isTrue(results.some(({ engines }) => engines.length > 1))
    // Within one category, only a full group breaks the order.
    const scores = results.slice(0, 9).map(({ score }) => score)
    assert.deepStrictEqual(
      scores,
      scores.toSorted((a, b) => b - a),
    )
    for (const name of ["google", "brave"]) {
      const enginePositions = results.flatMap(({ engines, positions }) =>
        positions.filter((_, i) => engines[i] === name),
      )
      assert.sameMembers(
        enginePositions,
        enginePositions.map((_, i) => i + 1),
      )
      assert.isAtMost(enginePositions.length, 10)
    }
  })

  it("queries the named engines, or the defaults when none is known", () => {
    const enginesIn = ({ results }: Answer) => new Set(results.flatMap(({ engines }) => engines))
    assert.sameMembers([...enginesIn(search({ q: "bitcoin", engines: "mojeek, nonsense" }))], ["mojeek"])
    const usual = enginesIn(search({ q: "bitcoin" }))
    assert.deepStrictEqual(enginesIn(search({ q: "bitcoin", engines: "nonsense" })), usual)
    assert.notInclude([...usual], "mojeek")
    const news = search({ q: "bitcoin", categories: "news,nonsense" })
    assert.isTrue(news.results.every(({ category }) => category === "news"))
    assert.isNotEmpty(news.results)
    const both = search({ q: "bitcoin", categories: "general,images" })
    assert.sameMembers([...new Set(both.results.map(({ category }) => category))], ["general", "images"])
    const own: Engine = { ...(defaultEngines[0] as Engine), name: "ours" }
    assert.sameMembers([...enginesIn(client({ engines: [own] }).search({ q: "bitcoin" }))], ["ours"])
  })

  it("filters by time range, language, page and safe search", () => {
    const recent = search({ q: "bitcoin", time_range: "week" }).results
    assert.isNotEmpty(recent)
    for (const { publishedDate } of recent) {
      assert.match(publishedDate ?? "", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/)
      const at = Date.parse(`${publishedDate}Z`)
      assert.isTrue(at <= sim.now() && at >= sim.now() - 7 * day)
    }
    const days = search({ q: "bitcoin", time_range: "day" }).results.length
    assert.isBelow(days, search({ q: "bitcoin", time_range: "month" }).results.length)
    const german = search({ q: "bitcoin", language: "de-DE" }).results
    assert.isNotEmpty(german)
    assert.isTrue(german.every(({ parsed_url }) => parsed_url[1]?.endsWith(".de")))
    assert.isEmpty(search({ q: "bitcoin", language: "ja" }).results)
    const pageOf = (pageno: string) => search({ q: "bitcoin", engines: "google", pageno }).results.map(({ url }) => url)
    const pages = ["1", "2", "3"].flatMap(pageOf)
    assert.lengthOf(pages, 30)
    assert.lengthOf(new Set(pages), 30)
    assert.isEmpty(search({ q: "bitcoin", pageno: "999999" }).results)
    const hosts = (level: string) =>
      [1, 2, 3, 4, 5].flatMap((pageno) =>
        search({ q: "nba", safesearch: level, pageno: String(pageno) }).results.map(({ parsed_url }) => parsed_url[1]),
      )
    assert.include(hosts("0"), "nolimitparlay.bet")
    assert.notInclude(hosts("1"), "nolimitparlay.bet")
    assert.include(hosts("1"), "www.sharplinepicks.com")
    assert.notInclude(hosts("2"), "www.sharplinepicks.com")
  })

  it("lists unresponsive engines and returns the results of the others", () => {
    const health = new Map([
      ["google", "CAPTCHA"],
      ["brave", "Suspended: too many requests"],
    ])
    const partial = client({ health }).search({ q: "bitcoin" })
    assert.deepInclude(partial.unresponsive_engines, ["brave", "Suspended: too many requests"])
    assert.deepInclude(partial.unresponsive_engines, ["google", "CAPTCHA"])
    const names = partial.unresponsive_engines.map(([name]) => name)
    assert.deepStrictEqual(names, names.toSorted())
    assert.isNotEmpty(partial.results)
    assert.isTrue(partial.results.every(({ engines }) => !engines.includes("google") && !engines.includes("brave")))
    const hurried = search({ q: "bitcoin", timeout_limit: "0.01" })
    assert.isEmpty(hurried.results)
    assert.includeDeepMembers([...hurried.unresponsive_engines], [["google", "timeout"]])
    sim.changeFaults({ kind: "engine", name: "bing", complaint: "access denied" })
    assert.includeDeepMembers([...search({ q: "bitcoin" }).unresponsive_engines], [["bing", "access denied"]])
    sim.changeFaults({ kind: "engine", name: "bing", complaint: null })
    assert.notInclude(
      search({ q: "bitcoin" }).unresponsive_engines.map(([name, ill]) => `${name} ${ill}`),
      "bing access denied",
    )
  })

  it("engine outages are a deterministic function of time", () => {
    const moving = new Simulation(Journal.open(undefined, { seed: 7, genesis, scale: "brief" }), () => genesis)
    moving.freeze()
    const first = client({}, moving)
    const second = client({}, moving)
    let outages = 0
    const minutes = 20
    for (let i = 0; i < minutes; i++) {
      const answer = first.search({ q: "bitcoin" })
      assert.deepStrictEqual(second.search({ q: "bitcoin" }), answer)
      if (answer.unresponsive_engines.length > 0) outages += 1
      moving.advance(60_000)
    }
    assert.isAbove(outages, 0)
    assert.isBelow(outages, minutes)
  })

  it("form parameters take precedence over the URL", () => {
    const posted = send("/search?q=lakers", {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded; charset=utf-8" },
      body: "q=bitcoin&format=json",
    })
    assert.strictEqual(JSON.parse(posted.body).query, "bitcoin")
    assert.strictEqual(send("/search?format=json", { method: "POST", body: '{"q":"bitcoin"}' }).status, 400)
  })

  it("invalid parameters get the real service's error messages", () => {
    const refusals = {
      "q=": "No query",
      "q=%20": "No query",
      "": "No query",
      "q=a&pageno=0": 'Invalid value "0" for parameter pageno',
      "q=a&pageno=NaN": 'Invalid value "NaN" for parameter pageno',
      "q=a&pageno=": "Empty pageno parameter",
      "q=a&time_range=decade": 'Invalid value "decade" for parameter time_range',
      "q=a&time_range=toString": 'Invalid value "toString" for parameter time_range',
      "q=a&safesearch=3": 'Invalid value "3" for parameter safesearch',
      "q=a&language=english": 'Invalid value "english" for parameter language',
      "q=a&timeout_limit=soon": 'Invalid value "soon" for parameter timeout_limit',
    }
    for (const [params, error] of Object.entries(refusals)) {
      const { status, body } = send(`/search?format=json&${params}`)
      assert.strictEqual(status, 400, params)
      assert.deepStrictEqual(JSON.parse(body), { error }, params)
    }
    assert.strictEqual(send("/search?q=a&format=csv").status, 403)
    assert.strictEqual(send("/nothing").status, 404)
    assert.strictEqual(send("/search?q=a", { method: "DELETE" }).status, 405)
    assert.strictEqual(send("/config", { method: "POST" }).status, 405)
    const values = fc.string({ unit: "binary", maxLength: 30 })
    fc.assert(
      fc.property(values, values, values, (q, language, other) => {
        const params = new URLSearchParams({ q, language, pageno: other, time_range: other, engines: q, categories: q })
        assert.oneOf(statusOf(String(params)), [200, 400])
        assert.oneOf(statusOf(String(new URLSearchParams({ q }))), [200, 400])
      }),
      { numRuns: process.env.PRESAGE_SOAK === "1" ? 200 : 20 },
    )
  })

  it("the HTML page escapes all values", () => {
    const { status, headers, body } = send(`/search?q=${encodeURIComponent("<script>alert(1)</script> bitcoin")}`)
    assert.strictEqual(status, 200)
    assert.include(headers?.["content-type"], "text/html")
    assert.include(body, "Bitcoin")
    assert.notInclude(body, "<script>")
    assert.strictEqual(send("/").status, 200)
  })

  it("serves health, configuration and the front-page redirect over HTTP", async () => {
    const faults: Array<unknown> = []
    const server = makeServer({ services: { "/searxng": searxngService(sim) }, sockets: {} }, (fault) =>
      faults.push(fault),
    )
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/searxng`
    const text = async (path: string) => (await fetch(`${base}${path}`)).text()
    assert.strictEqual(await text("/healthz"), "OK")
    const config = JSON.parse(await text("/config"))
    assert.lengthOf(config.engines, defaultEngines.length)
    assert.deepInclude(config.engines[0], { name: "google", categories: ["general"], enabled: true, paging: true })
    for (const path of ["/search?q=bitcoin&format=json", "/?q=bitcoin&format=json"]) {
      assert.strictEqual(JSON.parse(await text(path)).query, "bitcoin", path)
    }
    const form = new URLSearchParams({ q: "lakers", format: "json" })
    const posted = await fetch(`${base}/search`, { method: "POST", body: form })
    assert.deepStrictEqual(await posted.json(), search({ q: "lakers" }))
    assert.isEmpty(faults)
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
})
