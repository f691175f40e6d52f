import { Option, Redacted, Schema } from "effect"
import * as Setting from "#src/platform/config/Setting.ts"

const minLength = 16

const secret = Setting.secretText("presage.secret", {
  doc: "Secret that protects keys and webhook secrets, instead of secrets.json; must be the same in every process",
})
export const presageSecret: typeof secret = {
  ...secret,
  schema: secret.schema.check(
    Schema.makeFilter((given) => Option.isNone(given) || Redacted.value(given.value).length >= minLength),
  ),
  wants: `a text of at least ${minLength} characters`,
}

export const secretsSettings: ReadonlyArray<Setting.AnySetting> = [presageSecret]
