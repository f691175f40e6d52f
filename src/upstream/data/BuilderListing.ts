import { Context, Effect, Layer, Schema } from "effect"
import { type Shares, shares, sharesOf } from "#src/domain/amounts.ts"
import { unprintable } from "#src/platform/text/controlCharacters.ts"
import { decodeRows } from "../decodeRows.ts"
import { Endpoints } from "../Endpoints.ts"
import { UpstreamHttp } from "../Http.ts"
import { UpstreamFailure } from "../UpstreamFailure.ts"

const text = Schema.optionalKey(
  Schema.NullOr(
    Schema.String.check(Schema.makeFilter((value) => !unprintable.test(value), { expected: "printable characters" })),
  ),
)

const WireBuilder = Schema.Struct({
  rank: Schema.Int.check(Schema.isGreaterThan(0)),
  builder_name: text,
  builder_code: Schema.String.check(Schema.isPattern(/^0x[0-9a-f]{64}$/i)),
  profile_image: text,
  verified: Schema.optionalKey(Schema.NullOr(Schema.Boolean)),
  /** Shares; below the largest amount that 10⁻⁶ of it can count. */
  volume: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 9e12 })),
  active_users: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2_147_483_647 })),
})

const WirePage = Schema.Struct({
  data: Schema.Array(Schema.Unknown),
  pagination: Schema.optionalKey(Schema.Struct({ next_cursor: Schema.optionalKey(Schema.NullOr(Schema.String)) })),
})

/** A builder as the venue lists it. */
export interface ListedBuilder {
  /** 64 digits in lower case. */
  readonly code: string
  readonly name: string | undefined
  readonly logo: string | undefined
  readonly isVerified: boolean
  readonly rank: number
  /** Of all time. */
  readonly volume: Shares<bigint>
  readonly activeUsers: number
}

const nonEmpty = (value: string | null | undefined) => (value === "" ? undefined : (value ?? undefined))

const readBuilder = (wire: typeof WireBuilder.Type): ListedBuilder => ({
  code: wire.builder_code.slice(2).toLowerCase(),
  name: nonEmpty(wire.builder_name?.trim()),
  logo: nonEmpty(wire.profile_image),
  isVerified: wire.verified ?? false,
  rank: wire.rank,
  volume: shares(BigInt(sharesOf(wire.volume))),
  activeUsers: wire.active_users,
})

const pageSize = 1_000
/** No list is that long: a venue that ignores the cursor would return its first page forever. */
const maxPages = 100

/** The venue's list of builders, with their names. */
export class BuilderListing extends Context.Service<
  BuilderListing,
  { readonly all: Effect.Effect<ReadonlyArray<ListedBuilder>, UpstreamFailure> }
>()("presage/upstream/data/BuilderListing") {
  static readonly layer = Layer.effect(
    BuilderListing,
    Effect.gen(function* () {
      const http = yield* UpstreamHttp
      const { data } = yield* Endpoints
      const all = Effect.gen(function* () {
        const found: Array<ListedBuilder> = []
        let cursor: string | undefined
        for (let page = 0; page < maxPages; page++) {
          const query = new URLSearchParams({
            time_period: "all",
            limit: String(pageSize),
            ...(cursor !== undefined && { cursor }),
          })
          const answer = yield* http.decoded("data", WirePage, { url: `${data}/v2/builders/leaderboard?${query}` })
          found.push(...(yield* decodeRows("data", "builder", WireBuilder, answer.data)).map(readBuilder))
          cursor = nonEmpty(answer.pagination?.next_cursor)
          if (cursor === undefined) return found
        }
        return yield* new UpstreamFailure({
          upstream: "data",
          reason: "malformed",
          detail: `the list of builders does not end after ${maxPages} pages`,
        })
      })
      return BuilderListing.of({ all })
    }),
  )
}
