import { BaseSequencer, type TestSpecification } from "vitest/node"

/** Those that take longest, in this order: whatever begins last is what all wait for in the end. */
const slowest = [
  "webhooks/everyType.test.ts",
  "ticks/faults.test.ts",
  "ledger/sources.test.ts",
  "catalogue/follower.test.ts",
  "ledger/rebuild.test.ts",
  "ledger/backfill.test.ts",
  "ticks/followers.test.ts",
  "books/orderBooks.test.ts",
  "roles/program.process.test.ts",
  "ws/endurance.process.test.ts",
  "ledger/faults.process.test.ts",
  "webhooks/endurance.process.test.ts",
  "cli/status.process.test.ts",
]

/** Those that mind most how many other processes there are; beside the first files of `stores` there are few. */
const calm = ["mesh/cluster.process.test.ts", "mesh/jobs.process.test.ts", "mesh/duties.process.test.ts"]

const rankOf = ({ moduleId }: TestSpecification) => {
  const isIt = (name: string) => moduleId.endsWith(`/test/${name}`)
  if (calm.some(isIt)) return slowest.length + 1
  const rank = slowest.findIndex(isIt)
  return rank < 0 ? slowest.length : rank
}

/** Processes wait most, so they begin beside each other; the short files at the end leave nobody idle. */
const projects = ["processes", "stores", "alone", "simulator", "unit"]

/** A worker goes on with the next file only if that is of the same project, so projects stay together. */
const projectOf = ({ project }: TestSpecification) => projects.indexOf(project.name)

const groupOf = ({ project }: TestSpecification) => project.config.sequence.groupOrder

export default class SlowestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    return (await super.sort(files)).toSorted(
      (a, b) => groupOf(a) - groupOf(b) || projectOf(a) - projectOf(b) || rankOf(a) - rankOf(b),
    )
  }
}
