import { Effect } from "effect"
import type { Postgres } from "#src/platform/sql/Postgres.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"

/** What the dictionary says of its numbers. Hexadecimal digits without 0x. */
export interface WalletEntry {
  readonly id: number
  readonly address: string
}

export interface TokenEntry {
  readonly id: number
  readonly token: string
  readonly condition: string | null
  readonly condition_id: number | null
  readonly outcome: number | null
}

export interface ConditionEntry {
  readonly id: number
  readonly condition: string
  /** Numbers of its tokens, by outcome; none until somebody has told them apart. */
  readonly tokens: ReadonlyArray<number>
}

/** The names behind the numbers, many with one query. */
export const nameStore = ({ reads }: Postgres["Service"]) => ({
  wallets: (ids: ReadonlyArray<number>) =>
    reads<WalletEntry>`
      select id, encode(address, 'hex') as address from wallet where id = any(${pgArray("int4", ids)})`,

  tokens: (ids: ReadonlyArray<number>) =>
    reads<TokenEntry>`
      select t.id, encode(t.hash, 'hex') as token, encode(c.hash, 'hex') as condition, t.condition as condition_id, t.outcome
      from token t left join condition c on c.id = t.condition where t.id = any(${pgArray("int4", ids)})`,

  conditions: (ids: ReadonlyArray<number>) =>
    reads<ConditionEntry>`
      select c.id, encode(c.hash, 'hex') as condition,
        array(select t.id from token t where t.condition = c.id and t.outcome is not null order by t.outcome) as tokens
      from condition c where c.id = any(${pgArray("int4", ids)})`,
})

export type NameStore = ReturnType<typeof nameStore>

/** None without a question. */
export const unlessEmpty = <A, E>(
  ids: ReadonlyArray<number>,
  ask: (ids: ReadonlyArray<number>) => Effect.Effect<ReadonlyArray<A>, E>,
): Effect.Effect<ReadonlyArray<A>, E> => (ids.length === 0 ? Effect.succeed([]) : ask(ids))
