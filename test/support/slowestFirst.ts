import { BaseSequencer, type TestSpecification } from "vitest/node"

/** The slowest files start first, in this order, because the last one to start determines the end of the run. */
const slowest = [
  "recording/recordReplay.process.test.ts",
  "roles/program.process.test.ts",
  "docs/examples.process.test.ts",
  "roles/stores.soak.process.test.ts",
  "cli/status.soak.process.test.ts",
  "ws/endurance.soak.process.test.ts",
  "webhooks/endurance.soak.process.test.ts",
  "ledger/faults.soak.process.test.ts",
  "webhooks/outage.soak.process.test.ts",
  "webhooks/crashPoints.process.test.ts",
  "history/killed.soak.process.test.ts",
  "ticks/faults.test.ts",
  "ticks/historyFaults.soak.test.ts",
  "ticks/detectedFaults.test.ts",
  "history/nodeProfiles.test.ts",
  "leaderboards/partial.test.ts",
  "books/records.test.ts",
  "http/marketStats.test.ts",
  "catalogue/follower.test.ts",
  "webhooks/everyType.soak.test.ts",
  "repair/fillGaps.test.ts",
  "files/refusals.test.ts",
  "upstream/chainLimits.test.ts",
  "books/orderBooks.test.ts",
  "ledger/sources.test.ts",
  "repair/rewind.test.ts",
  "balances/balances.test.ts",
  "repair/rebuild.test.ts",
  "ticks/followers.test.ts",
]

/** Files most sensitive to other processes; few run beside the first files of `stores`. */
const calm = ["mesh/cluster.process.test.ts", "mesh/jobs.process.test.ts", "mesh/duties.process.test.ts"]

const rankOf = ({ moduleId }: TestSpecification) => {
  const isIt = (name: string) => moduleId.endsWith(`/test/${name}`)
  if (calm.some(isIt)) return slowest.length + 1
  const rank = slowest.findIndex(isIt)
  return rank < 0 ? slowest.length : rank
}

/** Process tests mostly wait, so they start together; the short files at the end keep all workers busy. */
const projects = ["processes", "stores", "alone", "simulator", "unit"]

/** A worker is reused only for a file of the same project, so projects stay together. */
const projectOf = ({ project }: TestSpecification) => projects.indexOf(project.name)

const groupOf = ({ project }: TestSpecification) => project.config.sequence.groupOrder

export default class SlowestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    return (await super.sort(files)).toSorted(
      (a, b) => groupOf(a) - groupOf(b) || projectOf(a) - projectOf(b) || rankOf(a) - rankOf(b),
    )
  }
}
