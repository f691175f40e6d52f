/** One thing looked at; `advice` says what to do about it. Only `fail` makes the command fail. */
export interface Finding {
  readonly check: string
  readonly state: "ok" | "warn" | "fail"
  readonly detail: string
  readonly advice?: string
}

export const ok = (check: string, detail: string): Finding => ({ check, state: "ok", detail })

export const warn = (check: string, detail: string, advice: string): Finding => ({
  check,
  state: "warn",
  detail,
  advice,
})

export const fail = (check: string, detail: string, advice?: string): Finding =>
  advice === undefined ? { check, state: "fail", detail } : { check, state: "fail", detail, advice }

/** Stores older than these are refused at start, too. */
export const olderThan = (version: string, major: number) => !(Number.parseInt(version, 10) >= major)
