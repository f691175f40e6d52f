import { Effect } from "effect"
import type { Postgres } from "#src/platform/sql/Postgres.ts"
import type { Horizon } from "./model.ts"

interface HorizonRow {
  readonly block: number
  readonly at: Date | null
}

const nothing: Horizon = { block: -1, at: 0 }

const decode = ([row]: ReadonlyArray<HorizonRow>): Horizon =>
  row === undefined ? nothing : { block: row.block, at: row.at?.getTime() ?? 0 }

export const horizonStore = ({ reads }: Postgres["Service"]) => ({
  /** As far as so many blocks have followed. */
  behindHead: (confirmations: number) =>
    Effect.map(
      reads<HorizonRow>`
        select c.block - ${confirmations}::int as block,
          (select b.at from block b where b.number <= c.block - ${confirmations}::int order by b.number desc limit 1) as at
        from chain_cursor c`,
      decode,
    ),
  /** Up to a block and no further. */
  at: (block: number) =>
    Effect.map(
      reads<HorizonRow>`
        select ${block}::int as block,
          (select b.at from block b where b.number <= ${block}::int order by b.number desc limit 1) as at`,
      decode,
    ),
})
