import { anyKey, type Rule } from "#src/access/Rule.ts"
import * as buckets from "#src/limits/buckets.ts"
import type { ContextSource } from "./model.ts"

/** A source costs what its own endpoint does: a bundle is one request of it. Units are charged for each query. */
export const sourceRules: Readonly<Record<ContextSource, Rule>> = {
  social: { ...anyKey, minPlan: "starter", perKey: buckets.social },
  online: { ...anyKey, perKey: buckets.onlineSearch },
}
