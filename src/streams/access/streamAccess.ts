import { Layer } from "effect"
import { StreamAdmission } from "./Admission.ts"
import { ConnectionLeases } from "./ConnectionLeases.ts"
import { KeyWatch } from "./KeyWatch.ts"
import { RecentDisconnects } from "./RecentDisconnects.ts"
import { SessionQuota } from "./SessionQuota.ts"

/** Admission, connection limits and session limits of the gateway. */
export const streamAccess = Layer.mergeAll(
  StreamAdmission.layer,
  ConnectionLeases.layer,
  KeyWatch.layer,
  RecentDisconnects.layer,
).pipe(Layer.provideMerge(SessionQuota.layer))
