import { Effect, Metric } from "effect"

/** How the nodes send pending transactions. */
export type PendingSource =
  /** Whole. */
  | "bodies"
  /** As hashes, which say nothing about matches. */
  | "hashes"
  /** Not at all: every subscription is refused. */
  | "refused"
  /** No socket is configured. */
  | "no-socket"

export const pendingSources: ReadonlyArray<PendingSource> = ["bodies", "hashes", "refused", "no-socket"]

const gauge = (source: PendingSource) =>
  Metric.gauge("presage_chain_pending_source", {
    description: "1 for how the nodes send pending transactions: bodies, hashes, refused or no-socket",
    attributes: { source },
  })

/** Records how pending transactions arrive; undefined while that is unknown. */
export const setPendingSource = (current: PendingSource | undefined) =>
  Effect.forEach(pendingSources, (source) => Metric.update(gauge(source), source === current ? 1 : 0), {
    discard: true,
  })

const needed =
  "there are no pending matches; they need a node that sends whole transactions: a bor node, or a provider with alchemy_pendingTransactions or newPendingTransactionsWithBody"

/** Why there are no pending matches. */
export const pendingProblem: Readonly<Record<PendingSource, string | null>> = {
  bodies: null,
  hashes: `the node sends hashes of pending transactions only: ${needed}`,
  refused: `the node refuses subscriptions to pending transactions: ${needed}`,
  "no-socket": `no socket to a node is configured (UPSTREAM_RPC_SOCKET_URL): ${needed}`,
}
