import * as Duty from "#src/mesh/Duty.ts"
import { RollupsAdvance } from "#src/rollups/contracts.ts"

export const rollups = Duty.make({ name: "rollups", job: RollupsAdvance, payload: {}, every: "30 seconds" })
