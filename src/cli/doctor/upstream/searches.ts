import { Effect, Redacted } from "effect"
import type { Endpoints } from "#src/upstream/Endpoints.ts"
import { addressOf } from "#src/upstream/searxng/Searxng.ts"
import { searxngUrl, xToken as tokenSetting } from "#src/upstream/settings.ts"
import { type Finding, ok, warn } from "../Finding.ts"
import { ask, hostOf, type ProbeAnswer } from "./ask.ts"

const noWeb = "no web search, and no `online` source of contexts"
const noPosts = "no social search, and no `social` source of contexts"

const isPage = ({ text }: ProbeAnswer): boolean => {
  try {
    return Array.isArray((JSON.parse(text) as { readonly results?: unknown } | null)?.results)
  } catch {
    return false
  }
}

/** One search, because only it shows whether an instance answers in JSON. */
const searxngFinding = (address: string) => {
  const { url, headers } = addressOf(address)
  const check = `web search ${hostOf(url)}`
  return Effect.match(ask(`${url}/search?q=weather&format=json`, undefined, headers), {
    onSuccess: (answer): Finding => {
      const { status, tookMillis } = answer
      if (status === 401) return warn(check, "refuses the password", `check the password in ${searxngUrl.env}`)
      if (status === 403) return warn(check, "refuses JSON", "enable json in search.formats of SearXNG")
      if (status === 429) return warn(check, "answers 429", "its limiter has to let this machine pass")
      if (status !== 200 || !isPage(answer)) {
        return warn(check, `answers ${status} without results in JSON`, `check ${searxngUrl.env}: ${noWeb}`)
      }
      return ok(check, `answers a search in ${tookMillis} ms`)
    },
    onFailure: (reason) => warn(check, reason, noWeb),
  })
}

/** An account is looked up, because posts that are read cost money. */
const xFinding = (url: string, token: Redacted.Redacted<string>) => {
  const check = "social search (X)"
  const headers = { authorization: `Bearer ${Redacted.value(token)}` }
  return Effect.match(ask(`${url}/2/users/by/username/X`, undefined, headers), {
    onSuccess: ({ status, tookMillis }): Finding => {
      if (status === 401) return warn(check, "refuses the token", `check ${tokenSetting.env}: ${noPosts}`)
      if (status === 402 || status === 403) {
        return warn(check, `answers ${status}`, `the plan or the credits of ${tokenSetting.env} do not allow to read`)
      }
      if (status === 429) return warn(check, "answers 429", "the limit of the token is used for now")
      return status === 200
        ? ok(check, `${hostOf(url)} accepts the token and answers in ${tookMillis} ms`)
        : warn(check, `${hostOf(url)} answers ${status}`, noPosts)
    },
    onFailure: (reason) => warn(check, `${hostOf(url)}: ${reason}`, noPosts),
  })
}

/** Probes the web search and X where they are configured. */
export const searchFindings = ({ searxng, x, xToken }: Endpoints["Service"]) =>
  Effect.all([...searxng.map(searxngFinding), ...(xToken === undefined ? [] : [xFinding(x, xToken)])], {
    concurrency: "unbounded",
  })
