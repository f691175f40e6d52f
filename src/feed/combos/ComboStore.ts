import type { Postgres } from "#src/platform/sql/Postgres.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"

const bytes = (hexes: ReadonlyArray<string>) =>
  pgArray(
    "bytea",
    hexes.map((hex) => Buffer.from(hex, "hex")),
  )

/** What combos are made of, by conditions of 64 digits. */
export const comboStore = ({ reads }: Postgres["Service"]) => ({
  /** The tokens of a combo one after the other. */
  legs: (conditions: ReadonlyArray<string>) =>
    reads<{ condition: string; legs: string }>`
      select distinct on (c.id) encode(c.hash, 'hex') as condition, encode(o.legs, 'hex') as legs
      from condition c join combo o on o.condition = c.id where c.hash = any(${bytes(conditions)})`,

  /** By outcome, the numbers of the tokens that are traded for a condition of the newer contracts. */
  traded: (conditions: ReadonlyArray<string>) =>
    reads<{ condition: string; tokens: ReadonlyArray<number> }>`
      select distinct on (c.id) encode(c.hash, 'hex') as condition,
        array(select t.id from token t where t.condition = m.legacy and t.outcome is not null order by t.outcome) as tokens
      from condition c join condition_rename m on m.condition = c.id where c.hash = any(${bytes(conditions)})`,
})
