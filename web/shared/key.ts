import { effect, signal } from "@preact/signals"

const storageKey = "presage-key"

/** The API key of this tab. It is sent as a header only, and closing the tab forgets it. */
export const key = signal<string>(sessionStorage.getItem(storageKey) ?? "")

effect(() => {
  if (key.value === "") sessionStorage.removeItem(storageKey)
  else sessionStorage.setItem(storageKey, key.value)
})
