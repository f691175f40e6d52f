/** The result of one check; `advice` tells how to fix it. Only `fail` makes the command fail. */
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
