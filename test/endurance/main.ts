import { bundleProcesses } from "#test/support/processes/bundle.ts"

// The clients start in a second instead of three, and need less memory.
process.env.PRESAGE_TEST_BUNDLE = await bundleProcesses()
const { main } = await import("./support/program.ts")
main()
