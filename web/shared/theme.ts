import { effect, signal } from "@preact/signals"

export type Theme = "auto" | "light" | "dark"

const storageKey = "presage-theme"
const isTheme = (value: unknown): value is Theme => value === "auto" || value === "light" || value === "dark"

const stored = (): Theme => {
  const value = localStorage.getItem(storageKey)
  return isTheme(value) ? value : "auto"
}

/** The viewer's choice of colours; `auto` follows the system. */
export const theme = signal<Theme>(stored())

const systemDark = matchMedia("(prefers-color-scheme: dark)")

/** Whether the page is dark now. Charts draw on a canvas, so they cannot use CSS alone. */
export const isDark = signal(false)

export const applyTheme = () => {
  const update = () => {
    isDark.value = theme.value === "dark" || (theme.value === "auto" && systemDark.matches)
    document.documentElement.dataset["theme"] = isDark.value ? "dark" : "light"
  }
  systemDark.addEventListener("change", update)
  effect(() => {
    if (theme.value === "auto") localStorage.removeItem(storageKey)
    else localStorage.setItem(storageKey, theme.value)
    update()
  })
}

const next: Readonly<Record<Theme, Theme>> = { auto: "light", light: "dark", dark: "auto" }
export const cycleTheme = () => {
  theme.value = next[theme.value]
}
