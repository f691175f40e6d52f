import type { Simulation } from "../Simulation.ts"
import { json, type Service, type WireRequest, type WireResponse } from "../wire.ts"
import { configJson, defaultEngines, type Engine } from "./engines.ts"
import { formOf, ParameterError, paramsOf } from "./params.ts"
import { Subjects } from "./Subjects.ts"
import { type SearchResponse, searchResponse } from "./searchResponse.ts"

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => escapes[sign] ?? sign)

const htmlPage = (title: string, body: string, status = 200): WireResponse => ({
  status,
  headers: { "content-type": "text/html; charset=utf-8" },
  body: `<!DOCTYPE html><html lang="en"><head><title>${escaped(title)}</title></head><body>${body}</body></html>\n`,
})

const searchForm = (query: string) => `<form action="search"><input name="q" value="${escaped(query)}"></form>`

const indexPage = (problem?: string): WireResponse =>
  htmlPage(
    "SearXNG",
    `${searchForm("")}${problem === undefined ? "" : `<p>${escaped(problem)}</p>`}`,
    problem === undefined ? 200 : 400,
  )

const errorPage = (status: number, reason: string): WireResponse =>
  htmlPage(`${status} ${reason}`, `<h1>${escaped(reason)}</h1>`, status)

const resultsPage = ({ query, results }: SearchResponse): WireResponse => {
  const articles = results.map(
    ({ url, title, content }) =>
      `<article><h3><a href="${escaped(url)}">${escaped(title)}</a></h3><p>${escaped(content)}</p></article>`,
  )
  return htmlPage(`${query} - SearXNG`, `${searchForm(query)}${articles.join("")}`)
}

export interface SearxngOptions {
  readonly engines?: ReadonlyArray<Engine>
  /** Failing engines with their errors, and null for those that always work. */
  readonly health?: ReadonlyMap<string, string | null>
}

/** Known formats that this instance disables. */
const disabledFormats = new Set(["csv", "rss"])

/** The front page redirects searches. */
const redirectToSearch = ({ target, path }: WireRequest): WireResponse => {
  const [address = "/", query] = target.split("?", 2)
  const base = address.endsWith(path) ? address.slice(0, -path.length) : address
  return { status: 308, headers: { location: `${base}/search${query === undefined ? "" : `?${query}`}` }, body: "" }
}

/** A simulated SearXNG: web search over generated pages about the simulated world. */
export const searxngService = (sim: Simulation, options: SearxngOptions = {}): Service => {
  const { engines = defaultEngines, health = sim.faults.engines } = options
  let subjects: Subjects | undefined

  const search = (request: WireRequest): WireResponse => {
    const form = formOf(request)
    const format = form.get("format") ?? "html"
    if (disabledFormats.has(format)) return errorPage(403, "Forbidden")
    const isJson = format === "json"
    const query = (form.get("q") ?? "").trim().replace(/\s+/g, " ")
    const badRequest = (message: string) => (isJson ? json({ error: message }, 400) : indexPage(message))
    if (query === "") return isJson ? badRequest("No query") : indexPage()
    try {
      subjects ??= new Subjects(sim)
      const response = searchResponse(sim, subjects, paramsOf(query, form, engines, sim.now()), health)
      return isJson ? json(response) : resultsPage(response)
    } catch (error) {
      if (error instanceof ParameterError) return badRequest(error.message)
      throw error
    }
  }

  const routes: Readonly<Record<string, (request: WireRequest) => WireResponse>> = {
    "/": (request) => (formOf(request).get("q") ? redirectToSearch(request) : indexPage()),
    "/search": search,
    "/healthz": () => ({ status: 200, headers: { "content-type": "text/plain" }, body: "OK" }),
    "/config": () => json(configJson(engines)),
  }
  const postRoutes = new Set(["/", "/search"])

  return (request) => {
    const route = Object.hasOwn(routes, request.path) ? routes[request.path] : undefined
    if (route === undefined) return errorPage(404, "Not Found")
    const isRead = request.method === "GET" || request.method === "HEAD"
    if (!isRead && !(request.method === "POST" && postRoutes.has(request.path)))
      return errorPage(405, "Method Not Allowed")
    return route(request)
  }
}
