import { defineConfig } from "vitest/config"
import SlowestFirst from "./test/support/slowestFirst.ts"

/** These read process-wide metrics or logs, so each needs its own process. */
const alone = ["test/status/status.test.ts", "test/http/observe.test.ts"]

/** These measure takeover times, so each runs alone in a soak. */
const recovery = [
  "test/mesh/cluster.process.test.ts",
  "test/mesh/jobs.process.test.ts",
  "test/mesh/duties.process.test.ts",
  "test/roles/stores.soak.process.test.ts",
]

/**
 * `unit` needs only Node and is part of `npm run check`. `simulator` also needs only Node, but builds whole worlds.
 * `stores` and `alone` share one Postgres and one Redis, which the global setup starts. `processes` starts, kills and
 * freezes real processes. So does `recovery`, one file at a time in a soak. `browser` opens the web pages in Chromium,
 * `searx` asks a real searx from Debian's packages; neither is part of `npm test`.
 */
const soak = process.env.PRESAGE_SOAK === "1"

/** Too slow for `npm test`, which has to say within minutes whether a change is good. */
const slow = soak ? [] : ["test/**/*.soak.test.ts", "test/**/*.soak.process.test.ts"]

/** Some packages contain their own tests, and a workspace below `test` has packages. */
const packages = ["**/node_modules/**"]

/** Also bundles the processes that tests start. */
const stores = ["./test/support/bundle.ts", "./test/support/stores.ts"]

/** Tests that mostly wait: one worker per core would leave the machine idle half of the time. */
const waiting = { maxWorkers: 5, sequence: { groupOrder: 0 } }

/** Tests that only compute; every worker loads all modules first. */
const computing = { maxWorkers: 2, sequence: { groupOrder: 1 } }

export default defineConfig({
  test: {
    reporters: ["default", "./test/support/plainSummary.ts"],
    sequence: { sequencer: SlowestFirst },
    projects: [
      {
        test: {
          name: "unit",
          include: ["test/**/*.unit.test.ts", "test/architecture.test.ts"],
          exclude: [...packages, "test/simulator/**"],
          testTimeout: 120_000,
          // Loading Effect again for every file took longer than all the tests.
          isolate: false,
          ...computing,
        },
      },
      {
        test: {
          name: "simulator",
          include: ["test/simulator/**/*.unit.test.ts"],
          testTimeout: 300_000,
          hookTimeout: 300_000,
          // Stateless code: loading it again for every file takes longer than many of the tests.
          isolate: false,
          ...computing,
        },
      },
      {
        test: {
          name: "stores",
          include: ["test/**/*.test.ts"],
          exclude: [
            ...packages,
            ...slow,
            "test/**/*.unit.test.ts",
            "test/**/*.process.test.ts",
            "test/architecture.test.ts",
            "test/browser/**",
            "test/searx/**",
            ...alone,
          ],
          globalSetup: stores,
          // Services get everything from their layers, so files can share loaded modules. That saves a second per file.
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
          globalSetup: stores,
          ...waiting,
          testTimeout: 600_000,
          hookTimeout: 300_000,
        },
      },
      {
        test: {
          name: "processes",
          include: ["test/**/*.process.test.ts"],
          exclude: [...packages, ...slow, ...(soak ? recovery : [])],
          globalSetup: stores,
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
          globalSetup: stores,
          isolate: false,
          fileParallelism: false,
          sequence: { groupOrder: 3 },
          testTimeout: 900_000,
          hookTimeout: 300_000,
        },
      },
      {
        test: {
          name: "searx",
          include: process.env.PRESAGE_SEARX === "1" ? ["test/searx/**/*.test.ts"] : [],
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        test: {
          name: "browser",
          include: ["test/browser/**/*.test.ts"],
          exclude: [...packages, ...slow],
          globalSetup: ["./test/support/bundle.ts", "./test/browser/support/service.ts"],
          // Each file has a browser; all share one service.
          maxWorkers: 2,
          isolate: false,
          testTimeout: 480_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
})
