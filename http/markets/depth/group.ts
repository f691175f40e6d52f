import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { TokenId } from "#src/domain/TokenId.ts"
import { paidOnly } from "../../access/Rule.ts"
import { clampedLimit } from "../../input/page.ts"
import { parameter } from "../../input/parameter.ts"
import { describe } from "../../openapi/describe.ts"
import { BadInput, NotFound, Unavailable } from "../../server/errors.ts"
import { MarketDepth, quoteSides } from "./shapes.ts"

export const levelLimit = { default: 50, max: 1_000 }

/** Dollars as an integer of 10⁻⁶. */
const dollars = parameter((text): bigint | BadInput => {
  const [, whole = "", decimals = ""] = /^(\d{1,10})(?:\.(\d{1,6}))?$/.exec(text) ?? []
  const micro = whole === "" ? 0n : BigInt(`${whole}${decimals.padEnd(6, "0")}`)
  if (micro > 0n) return micro
  return new BadInput({
    error: `Parameter "size_usd": expected a positive number of dollars with at most 6 decimals, got ${JSON.stringify(text.slice(0, 100))}.`,
    param: "size_usd",
    hint: "Write digits and a point: size_usd=250.5",
  })
})

const depth = HttpApiEndpoint.get("depth", "/v3/markets/:token_id/depth", {
  params: { token_id: TokenId.annotate({ description: "a token id in decimal digits" }) },
  query: {
    size_usd: Schema.optionalKey(
      dollars.annotate({
        description: "price an order that pays or receives this many dollars",
        documentedAs: { type: "number", exclusiveMinimum: 0 },
      }),
    ),
    side: Schema.optionalKey(
      Schema.Literals(quoteSides).annotate({ description: "side of that order; both by default" }),
    ),
    levels: clampedLimit("levels of each side", levelLimit),
  },
  success: MarketDepth,
  error: [BadInput, NotFound, Unavailable],
}).annotateMerge(
  describe(
    "Order book of a token, and the price of a size",
    "/v3/markets/$TOKEN/depth?size_usd=100&side=buy",
    "The order book now, and what an order of `size_usd` that takes from it would pay: average price, levels used, and how much worse that is than the best price and the middle. All of it is computed with integers. If the book is too thin, `complete` is false and the quote is of what there is. Fees are not included.",
  ),
)

export class DepthGroup extends HttpApiGroup.make("depth")
  .add(depth)
  .annotateEndpointsMerge(paidOnly())
  .annotateMerge(OpenApi.annotations({ title: "Depth", description: "Order books and what orders would pay." })) {}
