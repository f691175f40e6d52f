import { bundleProcesses } from "./processes/bundle.ts"

/** Workers inherit the variable; `quickNode` reads it. */
export default async function setup() {
  process.env.PRESAGE_TEST_BUNDLE = await bundleProcesses()
}
