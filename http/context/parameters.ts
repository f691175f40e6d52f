import { Effect, Schema } from "effect"
import { type ContextSource, sourceAliases } from "#src/context/model.ts"
import { clampedLimit } from "../input/page.ts"
import { visibleText } from "../input/visibleText.ts"
import { BadInput } from "../server/errors.ts"

export const contextLimits = {
  queries: { default: 3, max: 5 },
  perQuery: { default: 5, max: 10 },
  tokens: { default: 20, max: 200 },
} as const

/** What every bundle says about its sources. */
export const sourceRules =
  "The sources are asked at the same time, for at most 10 s. One that fails does not fail the bundle: its `status`, `error` and `hint` say what is missing. Each source has the limit per key of its own endpoint, of which a bundle is one request. `social` is for paid plans, and each query that X answered uses one social unit (`x-quota-used`). If these rules refuse every source that was asked for, the answer is 402 or 429."

/** Parameters of a bundle, beside the set of queries. */
export const contextParameters = (state: string) => ({
  sources: Schema.optionalKey(
    visibleText("sources").annotate({
      description:
        "`social` (the default) and `online`, separated by commas; `web`, `search`, `news` and `searxng` mean `online`, `x` and `twitter` mean `social`",
    }),
  ),
  max_queries: clampedLimit("queries", contextLimits.queries),
  max_per_query: clampedLimit("results of a query", contextLimits.perQuery),
  include_state: Schema.optionalKey(
    Schema.Literals(["true", "false"]).annotate({ description: `\`true\` adds ${state}` }),
  ),
  price_limit_tokens: clampedLimit("tokens with prices, with `include_state`", contextLimits.tokens),
})

export interface ContextInput {
  readonly sources?: string
  readonly max_queries?: number
  readonly max_per_query?: number
  readonly include_state?: "true" | "false"
  readonly price_limit_tokens?: number
}

export const readSources = (text = "social"): Effect.Effect<ReadonlyArray<ContextSource>, BadInput> => {
  const names = text
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
  const sources = names.map((name) => (Object.hasOwn(sourceAliases, name) ? sourceAliases[name] : undefined))
  const unknown = names.find((_, i) => sources[i] === undefined)
  return unknown === undefined
    ? Effect.succeed([...new Set(sources.flatMap((source) => source ?? []))])
    : Effect.fail(
        new BadInput({
          error: `Parameter "sources": unknown source "${unknown.slice(0, 50)}".`,
          param: "sources",
          hint: `Use social or online, separated by commas. Other names: ${Object.keys(sourceAliases).join(", ")}.`,
        }),
      )
}
