import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Shares } from "#src/domain/amounts.ts"
import { bulkInsert } from "#src/platform/sql/bulkWrite.ts"
import { closestName } from "#src/platform/text/spelling.ts"
import type { ListedBuilder } from "#src/upstream/data/BuilderListing.ts"
import { type Builder, SharedName, UnknownBuilder } from "./model.ts"

/** Equal for names that differ in case alone. */
const keyOf = (name: string) => name.normalize("NFC").toLowerCase()

interface ProfileRow {
  readonly code: Uint8Array
  readonly name: string | null
  readonly name_key: string | null
  readonly logo: string | null
  readonly verified: boolean
  readonly rank: number
  readonly volume: Shares<bigint>
  readonly active_users: number
  readonly refreshed_at: Date
  readonly checked_at: Date
}

const said = ["name", "name_key", "logo", "verified", "rank", "volume", "active_users"] as const
const saidOf = (alias: string) => said.map((name) => `${alias}.${name}`).join(", ")

const save = bulkInsert<ProfileRow>({
  table: "builder_profile as p",
  columns: {
    code: "bytea",
    name: "text",
    name_key: "text",
    logo: "text",
    verified: "bool",
    rank: "int4",
    volume: "int8",
    active_users: "int4",
    refreshed_at: "timestamptz",
    checked_at: "timestamptz",
  },
  suffix: `
    on conflict (code) do update set (${said.join(", ")}) = row(${saidOf("excluded")}), checked_at = excluded.checked_at,
      refreshed_at = case when (${saidOf("p")}) is distinct from (${saidOf("excluded")})
        then excluded.refreshed_at else p.refreshed_at end`,
})

/** Keeps what the venue lists. Builders that it no longer lists stay as they were. */
export const saveProfiles = (sql: SqlClient, listed: ReadonlyArray<ListedBuilder>, now: number) => {
  // A builder that moves while the pages are read may be on two of them.
  const byCode = new Map(listed.map((builder) => [builder.code, builder]))
  const at = new Date(now)
  return save(
    sql,
    [...byCode.values()].map((builder) => ({
      code: Buffer.from(builder.code, "hex"),
      name: builder.name ?? null,
      name_key: builder.name === undefined ? null : keyOf(builder.name),
      logo: builder.logo ?? null,
      verified: builder.isVerified,
      rank: builder.rank,
      volume: builder.volume,
      active_users: builder.activeUsers,
      refreshed_at: at,
      checked_at: at,
    })),
  )
}

/** Of a profile `p`. */
export const profileColumns =
  "p.name, p.logo, p.verified, p.rank as venue_rank, p.volume, p.active_users, p.refreshed_at, p.checked_at"

export type ProfileColumns = Pick<ProfileRow, "name" | "logo"> &
  (
    | (Pick<ProfileRow, "verified" | "volume" | "active_users" | "refreshed_at" | "checked_at"> & {
        readonly venue_rank: number
      })
    | { readonly venue_rank: null }
  )

export const profileIn = (row: ProfileColumns): Builder["profile"] =>
  row.venue_rank === null
    ? undefined
    : {
        name: row.name,
        logo: row.logo,
        isVerified: row.verified,
        rank: row.venue_rank,
        volume: row.volume,
        activeUsers: row.active_users,
        refreshedAt: row.refreshed_at,
        checkedAt: row.checked_at,
      }

type FoundRow = ProfileColumns & { readonly code: string; readonly id: number | null }

const builderIn = (row: FoundRow): Builder => ({ id: row.id, code: row.code, profile: profileIn(row) })

const isCode = (text: string) => /^0x[0-9a-f]{64}$/i.test(text)

/** The builder with a code or a public name, in any case. */
export const findBuilder = Effect.fnUntraced(function* (sql: SqlClient, given: string) {
  const columns = sql.literal(profileColumns)
  const found = isCode(given)
    ? yield* sql<FoundRow>`
        select b.id, ${given.toLowerCase()} as code, ${columns}
        from (select decode(${given.slice(2)}, 'hex') as code) asked
        left join builder b on b.code = asked.code left join builder_profile p on p.code = asked.code
        where b.id is not null or p.code is not null`
    : yield* sql<FoundRow>`
        select b.id, '0x' || encode(p.code, 'hex') as code, ${columns}
        from builder_profile p left join builder b on b.code = p.code
        where p.name_key = ${keyOf(given.trim())} order by p.code`
  const [first, ...others] = found
  if (first === undefined) {
    const names = isCode(given)
      ? []
      : yield* sql<{ name: string }>`select name from builder_profile where name is not null`
    return yield* new UnknownBuilder({
      given,
      nearest: closestName(
        given,
        names.map(({ name }) => name),
      ),
    })
  }
  if (others.length > 0) return yield* new SharedName({ name: given, codes: found.map(({ code }) => code) })
  return builderIn(first)
})
