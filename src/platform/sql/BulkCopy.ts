import { Context, type Effect } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import type { Columns } from "./bulkColumns.ts"

/**
 * Where it is provided, bulk inserts write with COPY on this connection. Rows must be new: COPY skips no existing ones and
 * returns nothing.
 */
export class BulkCopy extends Context.Service<
  BulkCopy,
  {
    readonly copy: <A, C>(
      table: string,
      columns: Columns<A, C>,
      items: ReadonlyArray<A>,
      context: C,
    ) => Effect.Effect<void, SqlError>
  }
>()("presage/platform/BulkCopy") {}
