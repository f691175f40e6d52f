import { CopyPnlRefresh } from "#src/copy-pnl/contracts.ts"
import * as Duty from "#src/mesh/Duty.ts"

export const copyPnl = Duty.make({ name: "copy-pnl", job: CopyPnlRefresh, payload: {}, every: "1 minute" })
