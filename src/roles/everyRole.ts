import type { Role } from "./Process.ts"

/** The roles of the whole service. */
export const everyRole: ReadonlySet<Role> = new Set(["api", "gateway", "worker", "scheduler"])
