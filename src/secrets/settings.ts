import { Option, Redacted, Schema } from "effect"
import * as Setting from "#src/platform/config/Setting.ts"

const leastSecret = 16

const secret = Setting.secretText("presage.secret", {
  doc: "What keys and webhook secrets are protected with, instead of secrets.json; the same in every process",
})
export const presageSecret: typeof secret = {
  ...secret,
  schema: secret.schema.check(
    Schema.makeFilter((given) => Option.isNone(given) || Redacted.value(given.value).length >= leastSecret),
  ),
  wants: `a text of at least ${leastSecret} characters`,
}

export const secretsSettings: ReadonlyArray<Setting.AnySetting> = [presageSecret]
