import type { Simulation } from "../Simulation.ts"
import { json, type Service, type WireRequest, type WireResponse } from "../wire.ts"
import { searchAnswer } from "./answer.ts"
import { configJson } from "./config.ts"
import { type Engine, usualEngines } from "./engines.ts"
import { errorPage, indexPage, resultsPage } from "./html.ts"
import { formOf, ParameterError, paramsOf } from "./params.ts"
import { Subjects } from "./Subjects.ts"

export interface SearxngOptions {
  readonly engines?: ReadonlyArray<Engine>
  /** Engines that fail, with their complaints. */
  readonly health?: ReadonlyMap<string, string>
}

/** Formats that exist and that this instance does not offer. */
const disabledFormats = new Set(["csv", "rss"])

/** The page that people see passes searches on. */
const redirected = ({ target, path }: WireRequest): WireResponse => {
  const [address = "/", query] = target.split("?", 2)
  const base = address.endsWith(path) ? address.slice(0, -path.length) : address
  return { status: 308, headers: { location: `${base}/search${query === undefined ? "" : `?${query}`}` }, body: "" }
}

/** A web search over made-up pages about what exists in the world. */
export const searxngService = (sim: Simulation, options: SearxngOptions = {}): Service => {
  const { engines = usualEngines, health = sim.faults.engines } = options
  let subjects: Subjects | undefined

  const search = (request: WireRequest): WireResponse => {
    const form = formOf(request)
    const format = form.get("format") ?? "html"
    if (disabledFormats.has(format)) return errorPage(403, "Forbidden")
    const isJson = format === "json"
    const query = (form.get("q") ?? "").trim().replace(/\s+/g, " ")
    const refused = (message: string) => (isJson ? json({ error: message }, 400) : indexPage(message))
    if (query === "") return isJson ? refused("No query") : indexPage()
    try {
      subjects ??= new Subjects(sim)
      const answer = searchAnswer(sim, subjects, paramsOf(query, form, engines, sim.now()), health)
      return isJson ? json(answer) : resultsPage(answer)
    } catch (error) {
      if (error instanceof ParameterError) return refused(error.message)
      throw error
    }
  }

  const routes: Readonly<Record<string, (request: WireRequest) => WireResponse>> = {
    "/": (request) => (formOf(request).get("q") ? redirected(request) : indexPage()),
    "/search": search,
    "/healthz": () => ({ status: 200, headers: { "content-type": "text/plain" }, body: "OK" }),
    "/config": () => json(configJson(engines)),
  }
  const posted = new Set(["/", "/search"])

  return (request) => {
    const route = Object.hasOwn(routes, request.path) ? routes[request.path] : undefined
    if (route === undefined) return errorPage(404, "Not Found")
    const isRead = request.method === "GET" || request.method === "HEAD"
    if (!isRead && !(request.method === "POST" && posted.has(request.path))) return errorPage(405, "Method Not Allowed")
    return route(request)
  }
}
