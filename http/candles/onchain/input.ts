import { Effect } from "effect"
import type { MarketName } from "#src/candles/TokenCandles.ts"
import { BadInput } from "../../server/errors.ts"
import type { CandleParameters } from "../readWindow.ts"

export interface OnchainParameters extends CandleParameters {
  readonly anchor_block?: number
  readonly anchor_tx?: string
}

interface GivenNames {
  readonly token_id: string | undefined
  readonly condition_id: string | undefined
  readonly market_slug: string | undefined
}

const kinds = { token_id: "token", condition_id: "condition", market_slug: "market" } as const

const given = <A extends string>(values: Readonly<Record<A, unknown>>) =>
  (Object.keys(values) as Array<A>).filter((name) => values[name] !== undefined)

/** The one name among the parameters. */
export const readName = (names: GivenNames): Effect.Effect<MarketName, BadInput> => {
  const [first, second] = given<keyof GivenNames>({ ...names })
  const value = first === undefined ? undefined : names[first]
  if (first !== undefined && value !== undefined && second === undefined)
    return Effect.succeed({ kind: kinds[first], value })
  const hint = "Send exactly one of `token_id`, `condition_id` and `market_slug`."
  return Effect.fail(
    first === undefined
      ? new BadInput({ error: 'Parameter "token_id" is missing.', param: "token_id", hint })
      : new BadInput({
          error: `Parameter "${second}": cannot be combined with \`${first}\`.`,
          param: second ?? "",
          hint,
        }),
  )
}

/** Refuses more than one anchor. */
export const checkAnchors = (anchors: Readonly<Record<"anchor_block" | "anchor_tx" | "anchor_ts", unknown>>) => {
  const [first, second] = given(anchors)
  if (second === undefined) return Effect.void
  const error = `Parameter "${second}": cannot be combined with \`${first}\`.`
  return Effect.fail(new BadInput({ error, param: second, hint: "Use one or the other." }))
}
