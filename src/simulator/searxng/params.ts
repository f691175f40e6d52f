import type { WireRequest } from "../wire.ts"
import type { Millis } from "../world/model.ts"
import { type Category, categories, type Engine } from "./engines.ts"

export interface SearchParams {
  readonly query: string
  readonly engines: ReadonlyArray<Engine>
  /** Two letters; undefined for all. */
  readonly language: string | undefined
  readonly pageno: number
  /** Earliest publication time. */
  readonly since: Millis | undefined
  readonly safesearch: 0 | 1 | 2
  readonly timeout: Millis | undefined
}

export class ParameterError extends Error {
  constructor(name: string, value: string) {
    super(value === "" ? `Empty ${name} parameter` : `Invalid value "${value}" for parameter ${name}`)
  }
}

const day = 86_400_000
const ranges: Readonly<Record<string, Millis>> = { day, week: 7 * day, month: 30 * day, year: 365 * day }

/** All parameters; form values take precedence over the URL. */
export const formOf = ({ query, body, headers, method }: WireRequest): URLSearchParams => {
  const form = new URLSearchParams(query)
  const isForm = headers["content-type"]?.toLowerCase().startsWith("application/x-www-form-urlencoded") === true
  if (method !== "POST" || !isForm) return form
  for (const [name, value] of new URLSearchParams(body)) form.set(name, value)
  return form
}

const listOf = (form: URLSearchParams, name: string): ReadonlyArray<string> =>
  (form.get(name) ?? "").split(",").map((each) => each.trim())

const languageOf = (form: URLSearchParams): string | undefined => {
  const text = form.get("language") ?? "all"
  if (text === "all" || text === "auto") return undefined
  if (!/^[a-z]{2,3}(-[a-zA-Z]{2,4})?$/.test(text)) throw new ParameterError("language", text)
  return text.split("-")[0]
}

const pagenoOf = (form: URLSearchParams): number => {
  const text = form.get("pageno") ?? "1"
  if (!/^\d{1,6}$/.test(text) || Number(text) < 1) throw new ParameterError("pageno", text)
  return Number(text)
}

const safesearchOf = (form: URLSearchParams): 0 | 1 | 2 => {
  const text = form.get("safesearch") ?? "0"
  const levels = { "0": 0, "1": 1, "2": 2 } as const
  if (text !== "0" && text !== "1" && text !== "2") throw new ParameterError("safesearch", text)
  return levels[text]
}

const rangeOf = (form: URLSearchParams): Millis | undefined => {
  const text = form.get("time_range") ?? ""
  if (text === "" || text === "None") return undefined
  const range = Object.hasOwn(ranges, text) ? ranges[text] : undefined
  if (range === undefined) throw new ParameterError("time_range", text)
  return range
}

const timeoutOf = (form: URLSearchParams): Millis | undefined => {
  const text = form.get("timeout_limit") ?? ""
  if (text === "" || text === "None") return undefined
  if (!/^\d{1,6}(\.\d{1,6})?$/.test(text)) throw new ParameterError("timeout_limit", text)
  return Math.floor(Number(text) * 1000)
}

/** The named engines that exist, plus the enabled ones of the requested or default categories. */
const enginesOf = (form: URLSearchParams, engines: ReadonlyArray<Engine>): ReadonlyArray<Engine> => {
  const names = listOf(form, "engines")
  const named = engines.filter(({ name }) => names.includes(name))
  const categoryNames = listOf(form, "categories")
  const requested: ReadonlyArray<Category> = categories.filter((each) => categoryNames.includes(each))
  const fallback: ReadonlyArray<Category> = named.length > 0 ? [] : ["general"]
  const covered = requested.length > 0 ? requested : fallback
  return engines.filter((engine) => named.includes(engine) || (engine.enabled && covered.includes(engine.category)))
}

export const paramsOf = (
  query: string,
  form: URLSearchParams,
  engines: ReadonlyArray<Engine>,
  now: Millis,
): SearchParams => {
  const range = rangeOf(form)
  return {
    query,
    engines: enginesOf(form, engines),
    language: languageOf(form),
    pageno: pagenoOf(form),
    since: range === undefined ? undefined : now - range,
    safesearch: safesearchOf(form),
    timeout: timeoutOf(form),
  }
}
