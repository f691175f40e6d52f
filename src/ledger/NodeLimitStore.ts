import { Effect, Layer } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"
import { KeptLimits, type LearntLimits } from "#src/upstream/chain/KeptLimits.ts"

interface Row {
  readonly node: string
  readonly calls: number
  readonly blocks: number | null
  readonly learnt_at: Date
}

/** Without what was learnt, a node is asked for too much once more. */
const isNotFatal =
  (what: string) =>
  (failure: unknown): Effect.Effect<void> =>
    Effect.logWarning(`failed to ${what} the limits of a node: ${describe(failure)}`)

/** Keeps what was learnt of nodes in Postgres. */
export const nodeLimitsInPostgres = Layer.effect(
  KeptLimits,
  Effect.map(Postgres, ({ sql, reads }) => ({
    load: (nodes: ReadonlyArray<string>) =>
      nodes.length === 0
        ? Effect.succeed(new Map<string, LearntLimits>())
        : reads<Row>`select node, calls, blocks, learnt_at from node_limit where node in ${reads.in(nodes)}`.pipe(
            Effect.catch((failure) => Effect.as(isNotFatal("load")(failure), [])),
            Effect.map(
              (rows) =>
                new Map(
                  rows.map(({ node, calls, blocks, learnt_at }) => [
                    node,
                    { calls, blocks: blocks ?? undefined, at: learnt_at.getTime() },
                  ]),
                ),
            ),
          ),
    save: (node: string, { calls, blocks, at }: LearntLimits) =>
      sql`
        insert into node_limit (node, calls, blocks, learnt_at)
        values (${node}, ${calls}, ${blocks ?? null}::int, ${new Date(at)})
        on conflict (node) do update set calls = excluded.calls, blocks = excluded.blocks, learnt_at = excluded.learnt_at
      `.pipe(Effect.catch(isNotFatal("keep")), Effect.asVoid),
  })),
)
