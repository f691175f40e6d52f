/** The state of the ledger that an answer shows. */
export interface AsOf {
  readonly block: number
  readonly at: Date
  /** Everything up to this entry of the event log is in the answer. */
  readonly seq: bigint
}

/** One row, also while the ledger is empty. `offset 0` keeps Postgres from evaluating it for every row that it is joined to. */
export const asOfSql = `
  select c.block as as_of_block, (select at from block where number = c.block) as as_of_at,
    (select max(seq) from event_log) as as_of_seq
  from (select) one left join chain_cursor c on true offset 0`

export interface AsOfRow {
  readonly as_of_block: number | null
  readonly as_of_at: Date | null
  readonly as_of_seq: bigint | null
}

/** Undefined while the ledger is empty. */
export const asOfIn = (row: AsOfRow | undefined): AsOf | undefined =>
  row === undefined || row.as_of_block === null || row.as_of_at === null
    ? undefined
    : { block: row.as_of_block, at: row.as_of_at, seq: row.as_of_seq ?? 0n }
