import { bundleProcesses } from "#test/support/processes/bundle.ts"

// Processes start in a second instead of three; read when the modules below are loaded.
process.env.PRESAGE_TEST_BUNDLE = await bundleProcesses()
// Deadlines are what is promised, and not patient.
process.env.PRESAGE_SOAK = "1"
const { main } = await import("./support/program.ts")
main()
