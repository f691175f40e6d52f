import type { Postgres } from "#src/platform/sql/Postgres.ts"
import type { Fork } from "./retracted.ts"

/** The reorganisations after an entry of the log, in their order. */
export const forkStore =
  ({ reads }: Postgres["Service"]) =>
  (after: bigint) =>
    reads<Fork>`select seq, ref as fork from event_log where kind = 'reorg' and seq > ${after} order by seq`
