import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { bytesOfCondition } from "#src/domain/ConditionId.ts"
import { bytesOfToken } from "#src/domain/TokenId.ts"
import { closestName } from "#src/platform/text/spelling.ts"

export const nameKinds = ["category", "tag", "market", "event", "condition", "token"] as const
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

/** Slugs compared on either side of an unknown one. */
const neighbours = 20

/** Tells a name that does not exist from one without results. */
export const nameStore = (sql: SqlClient) => {
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

  /** There are few tags and categories, but too many slugs to compare them all. */
  const candidates = ({ kind, value }: Name) => {
    switch (kind) {
      case "category":
        return sql<{ name: string }>`select value as name from leaderboard_scope where kind = 'category'`
      case "tag":
        return sql<{ name: string }>`
          select slug as name from tag union select value from leaderboard_scope where kind = 'tag'`
      case "market":
      case "event": {
        const names = sql.literal(kind)
        // Slugs are written in lower case, so one that differs only by its case is among them.
        const wanted = value.toLowerCase()
        return sql<{ name: string }>`
          (select slug as name from ${names} where slug <= ${wanted} order by slug desc limit ${neighbours})
          union all
          (select slug as name from ${names} where slug > ${wanted} order by slug limit ${neighbours})`
      }
      default:
        return Effect.succeed([])
    }
  }

  /** The failure for a name that is not known. */
  const unknown = (name: Name): Effect.Effect<UnknownName, SqlError> =>
    Effect.map(
      candidates(name),
      (rows) =>
        new UnknownName({
          ...name,
          nearest: closestName(
            name.value,
            rows.map((row) => row.name),
          ),
        }),
    )

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
