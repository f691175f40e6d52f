import { Effect, Layer, Stream } from "effect"
import { retryable } from "#src/mesh/Job.ts"
import { jobWorker } from "#src/mesh/JobWorker.ts"
import { sweep } from "#src/mesh/Sweep.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { WebhooksSeed } from "#src/webhooks/contracts.ts"
import { unseeded } from "#src/webhooks/polling/positionStatusChange/SeedStore.ts"
import { seedWallet } from "#src/webhooks/polling/positionStatusChange/seedWallet.ts"

/** Wallets per sweep. */
const maxPerSweep = 1_000

const seed = jobWorker(WebhooksSeed, ({ wallet }) => Effect.mapError(seedWallet(wallet), retryable))

const waiting = Stream.unwrap(
  Effect.map(
    Effect.flatMap(Postgres, ({ reads }) => unseeded(reads, maxPerSweep)),
    Stream.fromIterable,
  ),
)

/** Copies the positions of watched wallets. */
export const webhooksSeed = Layer.merge(seed, sweep(WebhooksSeed, waiting))
