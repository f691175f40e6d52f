import { type Loaded, useRequest } from "../shared/useRequest.ts"
import { headersWith, token } from "./token.ts"

const refreshMillis = 5000

/** Loads a path of `/ops/v1`, again every few seconds. */
export const useOps = <A>(path: string, everyMillis = refreshMillis): Loaded<A> =>
  useRequest<A>(`/ops/v1${path}`, { everyMillis, headers: headersWith(token.value) })
