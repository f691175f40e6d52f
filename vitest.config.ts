import { defineConfig } from "vitest/config"
import SlowestFirst from "./test/support/slowestFirst.ts"

/** Look at what the whole process counted or logged, so each needs a process of its own. */
const alone = ["test/status/status.test.ts", "test/http/observe.test.ts"]

/** Measure how soon somebody takes over, so each has the machine to itself. */
const recovery = [
  "test/mesh/cluster.process.test.ts",
  "test/mesh/jobs.process.test.ts",
  "test/mesh/duties.process.test.ts",
  "test/roles/stores.process.test.ts",
]

/**
 * `unit` needs nothing but Node and is part of `npm run check`; `simulator` needs nothing either, but builds whole worlds;
 * `stores` shares one Postgres and one Redis that the global set-up starts, as `alone` does; `processes` starts, kills and
 * freezes real processes; so does `recovery`, one file at a time. `browser` opens our pages in Chromium and is not part of
 * `npm test`.
 */
const soak = process.env.PRESAGE_SOAK === "1"

export default defineConfig({
  test: {
    reporters: ["default", "./test/support/plainSummary.ts"],
    sequence: { sequencer: SlowestFirst },
    projects: [
      {
        test: {
          name: "unit",
          include: ["test/**/*.unit.test.ts", "test/architecture.test.ts"],
          exclude: ["test/simulator/**"],
          testTimeout: 20_000,
          // To load Effect anew for every file took longer than all the tests.
          isolate: false,
          maxWorkers: 4,
        },
      },
      {
        test: {
          name: "simulator",
          include: ["test/simulator/**/*.unit.test.ts"],
          testTimeout: 60_000,
          // Pure code without state of its own: to load it anew for every file takes longer than many of the tests.
          isolate: false,
          maxWorkers: 4,
        },
      },
      {
        test: {
          name: "stores",
          include: ["test/**/*.test.ts"],
          exclude: [
            "test/**/*.unit.test.ts",
            "test/**/*.process.test.ts",
            "test/architecture.test.ts",
            "test/browser/**",
            ...alone,
          ],
          globalSetup: ["./test/support/stores.ts"],
          // Services get everything by their layers, so files may share what is loaded; that saves a second each.
          isolate: false,
          // They mostly wait: as many workers as cores would leave the machine idle half of the time.
          maxWorkers: 4,
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: "alone",
          include: alone,
          globalSetup: ["./test/support/stores.ts"],
          maxWorkers: 4,
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: "processes",
          include: ["test/**/*.process.test.ts"],
          exclude: recovery,
          globalSetup: ["./test/support/stores.ts"],
          isolate: false,
          // They wait for each other's processes more than they compute.
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
          testTimeout: soak ? 900_000 : 180_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: "recovery",
          include: recovery,
          globalSetup: ["./test/support/stores.ts"],
          isolate: false,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
          testTimeout: soak ? 900_000 : 180_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: "browser",
          include: ["test/browser/**/*.test.ts"],
          fileParallelism: false,
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
})
