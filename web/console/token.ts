import { effect, signal } from "@preact/signals"
import { type RequestOptions, request } from "../shared/request.ts"

const storageKey = "presage-console-token"

/** The token of the console, for this tab. It is sent as a header only, and closing the tab forgets it. */
export const token = signal<string>(sessionStorage.getItem(storageKey) ?? "")

effect(() => {
  if (token.value === "") sessionStorage.removeItem(storageKey)
  else sessionStorage.setItem(storageKey, token.value)
})

/** Without a token, the service admits only the machine itself. */
export const headersWith = (given: string): Record<string, string> =>
  given === "" ? {} : { authorization: `Bearer ${given}` }

/** Sends a change. A page of another origin cannot send this header. */
export const change = <A>(path: string, method: NonNullable<RequestOptions["method"]>, body?: unknown): Promise<A> =>
  request<A>(`/ops/v1${path}`, {
    method,
    headers: { ...headersWith(token.value), "x-presage-console": "1" },
    ...(body === undefined ? {} : { body }),
  })
