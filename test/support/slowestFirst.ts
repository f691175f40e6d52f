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
]

const rankOf = ({ moduleId }: TestSpecification) => {
  const rank = slowest.findIndex((name) => moduleId.endsWith(`/test/${name}`))
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
