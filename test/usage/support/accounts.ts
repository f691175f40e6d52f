import { randomBytes, randomUUID } from "node:crypto"
import { Effect } from "effect"
import { AccountId, KeyId } from "#src/domain/Account.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { UsageEntry } from "#src/usage/Meter.ts"

/** An account that does not exist. */
export const strangerAccount = () => AccountId.make(randomUUID())
export const strangerKey = () => KeyId.make(randomUUID())

/** An account with this many keys, named key 0, key 1 and so on. */
export const anAccount = (keys: number) =>
  Effect.gen(function* () {
    const { sql } = yield* Postgres
    const account = strangerAccount()
    yield* sql`insert into account (id, name, plan) values (${account}::uuid, 'somebody', 'growth')`
    const ids = Array.from({ length: keys }, strangerKey)
    for (const [i, id] of ids.entries()) {
      yield* sql`insert into api_key (id, account_id, name, digest, shown, lineage)
        values (${id}::uuid, ${account}::uuid, ${`key ${i}`}, ${randomBytes(32)}, 'psg_live_abc…wxyz', ${id}::uuid)`
    }
    return { account, keys: ids }
  })

export type Sums = Readonly<Record<string, readonly [requests: number, bytes: number]>>

/** Plain sums of entries. */
export const sumsOf = (entries: ReadonlyArray<UsageEntry & { readonly day: string }>): Sums => {
  const sums: Record<string, [number, number]> = {}
  for (const { account, key, day, family, requests = 1, bytes = 0 } of entries) {
    const [r, b] = sums[`${account} ${key} ${day} ${family}`] ?? [0, 0]
    sums[`${account} ${key} ${day} ${family}`] = [r + requests, b + bytes]
  }
  return sums
}

/** Stored usage of an account. */
export const storedSums = (account: AccountId) =>
  Effect.gen(function* () {
    const { sql } = yield* Postgres
    const rows = yield* sql<{ id: string; requests: bigint; bytes: bigint }>`
      select account_id || ' ' || key_id || ' ' || day || ' ' || family as id, requests, bytes
      from usage_day where account_id = ${account}::uuid`
    return Object.fromEntries(
      rows.map(({ id, requests, bytes }) => [id, [Number(requests), Number(bytes)] as const]),
    ) satisfies Sums
  })
