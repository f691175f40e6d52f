import type { ComponentChildren } from "preact"
import { key } from "../key.ts"
import type { Failure } from "../request.ts"
import type { Loaded } from "../useRequest.ts"

export const Notice = ({
  kind = "info",
  children,
}: {
  readonly kind?: "info" | "caution" | "error"
  readonly children: ComponentChildren
}) => (
  <div class="notice" data-kind={kind} role={kind === "error" ? "alert" : "status"}>
    {children}
  </div>
)

const advice = (failure: Failure): string | undefined => {
  if (failure.hint !== undefined) return failure.hint
  if (failure.status === 402) return "Your plan does not include this."
  if (failure.status === 429) return `Trying again in ${failure.retryAfterSeconds ?? 5} s.`
  return undefined
}

/** What went wrong, in the service's own words, and what to do. */
export const FailureNotice = ({ failure, onRetry }: { readonly failure: Failure; readonly onRetry?: () => void }) => {
  const isTemporary = failure.isAway || failure.status === 429 || failure.status >= 500
  return (
    <Notice kind={isTemporary ? "caution" : "error"}>
      <p>
        <strong>{failure.message}</strong> {advice(failure)}
      </p>
      {failure.isKeyRefused && key.value !== "" && (
        <button type="button" class="small" onClick={() => (key.value = "")}>
          Use another key
        </button>
      )}
      {isTemporary && onRetry !== undefined && (
        <button type="button" class="small outline" onClick={onRetry}>
          Try again now
        </button>
      )}
    </Notice>
  )
}

export const Empty = ({ children }: { readonly children: ComponentChildren }) => <p class="empty">{children}</p>

/** Shows the data of a request, or why there is none. Old data stays visible under a failure. */
export const Show = <A,>({
  loaded,
  children,
}: {
  readonly loaded: Loaded<A>
  readonly children: (data: A) => ComponentChildren
}) => (
  <>
    {loaded.failure !== undefined && <FailureNotice failure={loaded.failure} onRetry={loaded.reload} />}
    {loaded.data !== undefined ? (
      children(loaded.data)
    ) : loaded.failure === undefined && loaded.isLoading ? (
      <p class="empty" aria-busy="true">
        Loading…
      </p>
    ) : null}
  </>
)
