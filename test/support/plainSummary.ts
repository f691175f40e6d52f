import type { Reporter, TestModule } from "vitest/node"

/** Ends a run with one plain line for scripts. */
export default class PlainSummary implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, errors: ReadonlyArray<unknown>) {
    let passed = 0
    let failed = errors.length
    for (const module of modules) {
      const tests = [...module.children.allTests()]
      passed += tests.filter((test) => test.result().state === "passed").length
      failed += tests.filter((test) => test.result().state === "failed").length
      // A file that fails to load has no failing tests.
      if (tests.length === 0 || module.errors().length > 0) failed += 1
    }
    // After the closing lines of the default reporter.
    process.once("exit", () => process.stdout.write(`${passed} passed, ${failed} failed\n`))
  }
}
