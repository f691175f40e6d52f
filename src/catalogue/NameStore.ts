import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { bytesOfCondition } from "#src/domain/ConditionId.ts"
import { bytesOfToken, tokenOfHex } from "#src/domain/TokenId.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { closestName } from "#src/platform/text/spelling.ts"
import { documentFinder } from "#src/search/Search.ts"

const nameKinds = ["category", "tag", "market", "event", "condition", "token"] as const
export type NameKind = (typeof nameKinds)[number]

export interface Name {
  readonly kind: NameKind
  readonly value: string
}

/** Neither the catalogue nor the ledger knows the name. */
export class UnknownName extends Schema.TaggedError<UnknownName>()("UnknownName", {
  kind: Schema.Literals(nameKinds),
  value: Schema.String,
  /** The known name that was probably meant. */
  nearest: Schema.UndefinedOr(Schema.String),
}) {
  override get message() {
    return `There is no ${this.kind} "${this.value.slice(0, 100)}".`
  }
}

/** Slugs and ids compared on either side of an unknown one. */
const neighbours = 20
/** A neighbour with no more typos than these is what was meant: nothing is searched for. */
const fewTypos = 2
/** Markets compared that have the words of an unknown slug. */
const mostFound = 20
/** Nothing is near a longer slug. */
const mostLetters = 200

/** Tells a name that does not exist from one without results. */
export const nameStore = (sql: SqlClient) => {
  const find = documentFinder(sql, { withTypos: false })
  const isKnown = ({ kind, value }: Name): Effect.Effect<boolean, SqlError> => {
    const exists = {
      category: () => sql`exists (select from event where category = ${value})`,
      tag: () =>
        sql`exists (select from tag where slug = ${value}) or exists (select from event where tags ? ${value})`,
      market: () => sql`exists (select from market where slug = ${value})`,
      event: () => sql`exists (select from event where slug = ${value})`,
      condition: () => sql`exists (select from condition where hash = ${bytesOfCondition(value)})`,
      token: () => sql`exists (select from token where hash = ${bytesOfToken(value)})`,
    }[kind]()
    return Effect.map(sql<{ known: boolean }>`select ${exists} as known`, ([row]) => row?.known === true)
  }

  /** Slugs of the markets, or of their events, that have the words of a slug. */
  const slugsWithWords = Effect.fnUntraced(function* (kind: "market" | "event", slug: string) {
    const text = `${slug} `
    const { hits } = yield* find({ kind: "market", text, limit: mostFound, offset: 0, behind: undefined })
    const ids = pgArray("int4", hits, ({ id }) => id)
    return yield* kind === "market"
      ? sql<{ name: string }>`select slug as name from market where id = any(${ids})`
      : sql<{ name: string }>`
          select slug as name from event where id in (select event from market where id = any(${ids}))`
  })

  const slugsAround = (kind: "market" | "event", slug: string) => sql<{ name: string }>`
    (select slug as name from ${sql(kind)} where slug <= ${slug} order by slug desc limit ${neighbours})
    union all
    (select slug as name from ${sql(kind)} where slug > ${slug} order by slug limit ${neighbours})`

  /** An id with a wrong digit has the digits before it in common with the right one. */
  const hashesAround = (kind: "condition" | "token", hash: Buffer) => sql<{ hex: string }>`
    (select encode(hash, 'hex') as hex from ${sql(kind)} where hash <= ${hash} order by hash desc limit ${neighbours})
    union all
    (select encode(hash, 'hex') as hex from ${sql(kind)} where hash > ${hash} order by hash limit ${neighbours})`

  /** There are few tags and categories, but too many slugs and ids to compare them all. */
  const nearest = Effect.fnUntraced(function* ({ kind, value }: Name) {
    const closest = (rows: ReadonlyArray<{ readonly name: string }>, mostTypos?: number) =>
      closestName(
        value,
        rows.map(({ name }) => name),
        mostTypos,
      )
    switch (kind) {
      case "category":
        return closest(
          yield* sql<{ name: string }>`select value as name from leaderboard_scope where kind = 'category'`,
        )
      case "tag":
        return closest(
          yield* sql<{ name: string }>`
            select slug as name from tag union select value from leaderboard_scope where kind = 'tag'`,
        )
      case "market":
      case "event": {
        // Slugs are written in lower case, so one that differs only by its case is among them.
        const wanted = value.toLowerCase()
        const around = yield* slugsAround(kind, wanted)
        const found = closest(around, fewTypos)
        if (found !== undefined || wanted.length > mostLetters) return found
        return closest([...around, ...(yield* slugsWithWords(kind, wanted))])
      }
      case "condition":
        return closest((yield* hashesAround(kind, bytesOfCondition(value))).map(({ hex }) => ({ name: `0x${hex}` })))
      case "token":
        return closest((yield* hashesAround(kind, bytesOfToken(value))).map(({ hex }) => ({ name: tokenOfHex(hex) })))
    }
  })

  /** The failure for a name that is not known. */
  const unknown = (name: Name): Effect.Effect<UnknownName, SqlError> =>
    Effect.map(nearest(name), (nearest) => new UnknownName({ ...name, nearest }))

  return {
    unknown,
    isKnown,
    /** Fails if the catalogue has no event with this id. */
    checkEvent: Effect.fnUntraced(function* (id: number) {
      const [row] = yield* sql<{ known: boolean }>`select exists (select from event where id = ${id}) as known`
      if (row?.known !== true) return yield* new UnknownName({ kind: "event", value: String(id), nearest: undefined })
    }),
    /** Fails with the first name that is not known. */
    check: Effect.fnUntraced(function* (names: ReadonlyArray<Name>) {
      for (const name of names) if (!(yield* isKnown(name))) return yield* yield* unknown(name)
    }),
  }
}
