import { defineConfig } from "vitest/config"
import SlowestFirst from "./test/support/slowestFirst.ts"

/** Look at what the whole process counted or logged, so each needs a process of its own. */
const alone = ["test/status/status.test.ts", "test/http/observe.test.ts"]

/** Measure how soon somebody takes over, so in a soak each has the machine to itself. */
const recovery = [
  "test/mesh/cluster.process.test.ts",
  "test/mesh/jobs.process.test.ts",
  "test/mesh/duties.process.test.ts",
  "test/roles/stores.process.test.ts",
]

/**
 * `unit` needs nothing but Node and is part of `npm run check`; `simulator` needs nothing either, but builds whole worlds;
 * `stores` shares one Postgres and one Redis that the global set-up starts, as `alone` does; `processes` starts, kills and
 * freezes real processes; so does `recovery`, one file at a time in a soak. `browser` opens our pages in Chromium and is
 * not part of `npm test`.
 */
const soak = process.env.PRESAGE_SOAK === "1"

/** They mostly wait: as many workers as cores would leave the machine idle half of the time. */
const waiting = { maxWorkers: 4, sequence: { groupOrder: 0 } }

/** They only compute, and every worker has to load what it runs first. */
const computing = { maxWorkers: 3, sequence: { groupOrder: 1 } }

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
          testTimeout: 120_000,
          // To load Effect anew for every file took longer than all the tests.
          isolate: false,
          ...computing,
        },
      },
      {
        test: {
          name: "simulator",
          include: ["test/simulator/**/*.unit.test.ts"],
          testTimeout: 300_000,
          // Pure code without state of its own: to load it anew for every file takes longer than many of the tests.
          isolate: false,
          ...computing,
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
          ...waiting,
          testTimeout: 600_000,
          hookTimeout: 300_000,
        },
      },
      {
        test: {
          name: "alone",
          include: alone,
          globalSetup: ["./test/support/stores.ts"],
          ...waiting,
          testTimeout: 600_000,
          hookTimeout: 300_000,
        },
      },
      {
        test: {
          name: "processes",
          include: ["test/**/*.process.test.ts"],
          exclude: soak ? recovery : [],
          globalSetup: ["./test/support/stores.ts"],
          isolate: false,
          ...(soak ? { maxWorkers: 3, sequence: { groupOrder: 2 } } : waiting),
          testTimeout: 900_000,
          hookTimeout: 300_000,
        },
      },
      {
        test: {
          name: "recovery",
          include: soak ? recovery : [],
          globalSetup: ["./test/support/stores.ts"],
          isolate: false,
          fileParallelism: false,
          sequence: { groupOrder: 3 },
          testTimeout: 900_000,
          hookTimeout: 300_000,
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
